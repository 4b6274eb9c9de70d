// The page is whole without this: it copies texts.
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
