import frameText from "./frame-script.js" with { type: "text" };

/** The script of every page, in a scope of its own. */
export const frameScript = `{\n${frameText}}\n`;

/**
 * Adds a copy button to each text that is there to be copied. Without scripts there is no button, and
 * a click selects the text. Without https there is no clipboard, so the button selects the text too.
 */
export const copyScript = `
for (const text of document.querySelectorAll("pre[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy " + text.dataset.copy);
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(text);
    await navigator.clipboard?.writeText(text.textContent);
    button.textContent = navigator.clipboard ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  text.before(button);
}
`;

/** The source of `script-src` that allows these scripts and no others. */
export const scriptSources = [frameScript, copyScript]
  .map((text) => `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`)
  .join(" ");
