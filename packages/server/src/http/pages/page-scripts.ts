import frameText from "./frame-script.js" with { type: "text" };
import passkeyText from "./passkey-script.js" with { type: "text" };
import { pagePolicy } from "./set-page-headers.ts";

/** The script of the pages with the menu, in a scope of its own. */
export const frameScript = `{\n${frameText}}\n`;

/** The script of the pages that ask for a passkey, in a scope of its own. */
export const passkeyScript = `{\n${passkeyText}}\n`;

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

/** The source of `script-src` that allows this script. */
function toSource(script: string): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(script).digest("base64")}'`;
}

const [frameSource, copySource, passkeySource] = [frameScript, copyScript, passkeyScript].map(
  toSource,
);

/** The policy of pages with the menu, whose script asks for counts and for what is searched. */
export const framePolicy = `${pagePolicy}; script-src ${frameSource}; connect-src 'self'`;

/** The same for pages with texts to copy. */
export const copyPolicy = `${pagePolicy}; script-src ${frameSource} ${copySource}; connect-src 'self'`;

/** The policy of pages before sign-in that ask for a passkey. Their script sends nothing. */
export const passkeyPolicy = `${pagePolicy}; script-src ${passkeySource}`;

/** The same with the menu, and with texts to copy. */
export const ownPasskeyPolicy = `${pagePolicy}; script-src ${frameSource} ${copySource} ${passkeySource}; connect-src 'self'`;
