import shell from "@hub/contract/shell.css" with { type: "text" };
import help from "../help/help.css" with { type: "text" };
import { fontFaces } from "./font.ts";
import own from "./style.css" with { type: "text" };

const css = `${fontFaces}\n${shell}\n${toPlainSchemes(shell)}\n${own}\n${help}`;

const hash = new Bun.CryptoHasher("sha256").update(css).digest("hex").slice(0, 12);

/** Path of the stylesheet. It contains a hash of the text, so that browsers can cache it forever. */
export const stylePath = `/assets/hub.${hash}.css`;

export function answerStyle(): Response {
  return new Response(css, {
    headers: {
      "Content-Type": "text/css; charset=utf-8",
      "Cache-Control": "public, max-age=31536000, immutable",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** The colours of both schemes for browsers before May 2024, which do not know `light-dark()`. The build of the app has its own. */
function toPlainSchemes(text: string): string {
  const colours = [...text.matchAll(/(--[\w-]+): light-dark\(([^,()]+), ([^,()]+)\);/g)];
  const pick = (side: 2 | 3) => colours.map((found) => `${found[1]}: ${found[side]};`).join(" ");
  return `@supports not (color: light-dark(#000, #fff)) {
  :root { ${pick(2)} }
  :root[data-scheme="dark"] { ${pick(3)} }
  @media (prefers-color-scheme: dark) {
    :root:not([data-scheme="light"]) { ${pick(3)} }
  }
}`;
}
