// The page is whole without this: it copies texts, and prints what is folded too.
for (const pre of document.querySelectorAll("pre.copy")) {
  const code = pre.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    if (await toClipboard(code.textContent)) {
      button.textContent = "Copied";
    } else {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
  });
  pre.prepend(button);
}

const folded = () => [...document.querySelectorAll("details:not(.menu):not([open])")];
const unfold = (parts) => {
  for (const part of parts) part.open = true;
};
const kicker = document.querySelector(".kicker");
if (kicker) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "print";
  button.textContent = "Print everything";
  button.addEventListener("click", () => {
    const parts = folded();
    unfold(parts);
    addEventListener("afterprint", () => parts.forEach((part) => (part.open = false)), { once: true });
    print();
  });
  kicker.append(button);
}
// what makes a PDF without anybody to click asks for it in the address
if (new URLSearchParams(location.search).get("print") === "all") unfold(folded());
