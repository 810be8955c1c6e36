import shell from "@hub/contract/shell.css" with { type: "text" };
import help from "../help/help.css" with { type: "text" };
import own from "./style.css" with { type: "text" };

const css = `${shell}\n${own}\n${help}`;

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
