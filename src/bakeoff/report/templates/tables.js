// Tables are whole without this: it sorts them, filters long ones and copies what they show.
const FILTERED_FROM = 10; // with no more rows, a reader finds what they look for
const DECISIONS = { "a difference": ".good, .bad", "equivalence": ".same", "neither shown": ".open" };
const NAMES = { dataset: "data sets", metric: "metrics", model: "models", decision: "decisions" };

const words = (cell) =>
  [...cell.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("");
const raw = (cell) => cell.dataset.v ?? words(cell);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

function sortable(table, heads) {
  const body = table.tBodies[0];
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  heads.forEach((head, i) => {
    const value = (row) => {
      const text = raw(row.cells[i]);
      if (row.cells[i].dataset.v === undefined && !head.classList.contains("number")) return text.toLowerCase();
      if (text === "inf" || text === "-inf") return text === "inf" ? Infinity : -Infinity;
      return text === "" || isNaN(text) ? null : Number(text);
    };
    // no element `button`: browsers repeat no head on printed pages that has one
    const button = make("span", { role: "button", tabIndex: 0, textContent: head.textContent });
    head.replaceChildren(button);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      button.click();
    });
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [value(row), row]);
      rows.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : (down ? -1 : 1) * compare(a, b)));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

// What a table can be filtered by: for each kind its choices, and which rows or columns they keep.
function kinds(rows, heads) {
  const found = {};
  for (const kind of Object.keys(NAMES)) {
    const places = heads.flatMap((head, i) => (head.dataset.by === kind ? [i] : []));
    const titles = heads.filter((head) => head.dataset.of === kind).map((head) => head.textContent);
    const there = new Set(titles);
    if (kind === "decision") {
      for (const [name, tone] of Object.entries(DECISIONS))
        if (rows.some((row) => places.some((i) => row.cells[i].matches(tone)))) there.add(name);
    } else {
      for (const row of rows) for (const i of places) there.add(words(row.cells[i]));
    }
    const keeps = (row, choice) =>
      !places.length ||
      places.some((i) => (kind === "decision" ? row.cells[i].matches(DECISIONS[choice]) : words(row.cells[i]) === choice));
    if (there.size > 1) found[kind] = { choices: [...there], keeps };
  }
  return found;
}

function filters(table, rows, heads, count) {
  const found = kinds(rows, heads);
  const selects = Object.entries(found).map(([kind, { choices }]) => {
    const options = choices.map((choice) => new Option(choice));
    const select = make("select", {}, new Option(`All ${NAMES[kind]}`, ""), ...options);
    select.setAttribute("aria-label", `${table.caption.textContent}: ${NAMES[kind]}`);
    return [kind, select];
  });
  const show = () => {
    const chosen = selects.filter(([, select]) => select.selectedIndex > 0).map(([kind, s]) => [found[kind].keeps, s.value, kind]);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !chosen.every(([keeps, choice]) => keeps(row, choice));
      shown += !row.hidden;
    }
    heads.forEach((head, i) => {
      const hidden = chosen.some(([, choice, kind]) => head.dataset.of === kind && head.textContent !== choice);
      if (head.hidden !== hidden) for (const row of [head.parentNode, ...rows]) row.cells[i].hidden = hidden;
    });
    count.textContent = chosen.length ? ` (${shown} of ${rows.length} rows)` : "";
  };
  for (const [, select] of selects) select.addEventListener("change", show);
  return selects.map(([, select]) => select);
}

const visible = (row) => [...row.cells].filter((cell) => !cell.hidden);
// as Python's csv module quotes; a spreadsheet takes what begins like a formula for one
const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const inert = (text) => (/^[=+\-@\t\r＝＋－＠]/.test(text) && isNaN(text) ? `'${text}` : text);
const md = (text) =>
  text.replace(/([\\`*_[\]|#~$])/g, "\\$1").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const tex = (text) => [...text].map((c) => (Object.hasOwn(LATEX, c) ? LATEX[c] : c)).join("");

const FORMATS = {
  CSV: (table, heads, rows) => {
    const cells = rows.map(visible);
    // an interval has a column for each limit
    const both = heads.map((_, i) => cells.some((row) => row[i].dataset.high !== undefined));
    const line = (row, low, high) => row.flatMap((cell, i) => (both[i] ? [low(cell), high(cell)] : [low(cell)]));
    const key = (head) => head.dataset.key;
    const keys = line(heads, key, (head) => `${key(head).replace(/_low$/, "")}_high`);
    return [keys, ...cells.map((row) => line(row, (cell) => inert(raw(cell)), (cell) => inert(cell.dataset.high ?? "")))]
      .map((values) => `${values.map(quoted).join(",")}\n`).join("");
  },
  LaTeX: (table, heads, rows) => {
    const cell = (c) => {
      const text = tex(words(c));
      return c.matches(".best") ? `\\textbf{${text}}` : text;
    };
    return [
      "% needs \\usepackage{booktabs}", "\\begin{table}", "\\centering",
      `\\caption{${tex(table.dataset.caption ?? table.caption.firstChild.data)}}`, `\\label{tab:${table.id.replace("table-", "")}}`,
      `\\begin{tabular}{${heads.map((head) => (head.matches(".number") ? "r" : "l")).join("")}}`, "\\toprule",
      `${heads.map((head) => tex(head.textContent)).join(" & ")} \\\\`, "\\midrule",
      ...rows.map((row) => `${visible(row).map(cell).join(" & ")} \\\\`),
      "\\bottomrule", "\\end{tabular}", "\\end{table}", "",
    ].join("\n");
  },
  Markdown: (table, heads, rows) => {
    const cell = (c) => {
      const text = md(words(c));
      return c.matches(".best") && text ? `**${text}**` : text;
    };
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const rule = heads.map((head) => (head.matches(".number") ? "--:" : ":--")).join("|");
    return [line(heads.map((head) => md(head.textContent))), `|${rule}|`, ...rows.map((row) => line(visible(row).map(cell)))].join("\n");
  },
};

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { value: text, className: "away" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy"); // where the other way is forbidden
    area.remove();
    return done;
  }
}

function copies(table, heads) {
  const summary = make("summary", { textContent: "Copy" });
  summary.setAttribute("aria-label", `Copy the table ${table.caption.textContent}`);
  const said = make("span");
  said.setAttribute("role", "status");
  const menu = make("details", { className: "menu" }, summary);
  const list = make("div");
  for (const [name, format] of Object.entries(FORMATS)) {
    const button = make("button", { type: "button", textContent: name });
    button.addEventListener("click", async () => {
      const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
      const done = await toClipboard(format(table, heads.filter((head) => !head.hidden), rows));
      said.textContent = done ? "Copied" : "This browser forbids it";
      menu.open = false;
      summary.focus();
      setTimeout(() => said.replaceChildren(), 2000);
    });
    list.append(button);
  }
  menu.append(list);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    summary.focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  return [said, menu];
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  const count = make("span", { className: "count" });
  count.setAttribute("role", "status");
  const tools = make("div", { className: "tools" });
  if (rows.length > FILTERED_FROM) tools.append(...filters(table, rows, heads, count));
  tools.classList.toggle("filtering", tools.childElementCount > 0);
  tools.append(...copies(table, heads));
  table.caption.append(count);
  table.closest(".table").prepend(tools);
  sortable(table, heads);
}
addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
