import { randomBytes } from "node:crypto";
import type { MenuFold } from "@hub/contract/menu-fold.ts";
import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { fontFaces, fontPreload } from "../pages/font.ts";
import { iconUrl, readFold, readScheme, type Scheme } from "../pages/page-look.ts";
import { appAssets } from "./app-assets.ts";
import type { LoadWeb } from "./load-web.ts";
import type { WebFiles } from "./web-files.ts";

/**
 * Answers each address of the app with its document, which is made per request: its scripts and the
 * styles that they insert need the nonce of this answer.
 */
export function showApp({ loadWeb }: { loadWeb: LoadWeb }) {
  return async (ctx: Context<AppEnv>): Promise<Response> => {
    const web = await loadWeb();
    if (web === null) {
      // The server-rendered pages need no build.
      if (ctx.req.path === "/") return ctx.redirect("/profile", 303);
      throw new HubError("unavailable", "This program has no such pages. Use the command line.");
    }
    const nonce = randomBytes(16).toString("base64url");
    ctx.header("Content-Security-Policy", toPolicy(nonce));
    return ctx.html(toDocument(web, nonce, { scheme: readScheme(ctx), fold: readFold(ctx) }));
  };
}

/**
 * Scripts run only with the nonce, or if such a script imports them; nothing is loaded from or sent to
 * another origin.
 */
function toPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

type Look = { scheme: Scheme; fold: MenuFold };

const preload = Object.entries(fontPreload)
  .map(([name, value]) => `${name}="${value}"`)
  .join(" ");

function toDocument(web: WebFiles, nonce: string, { scheme, fold }: Look): string {
  const styles = web.styles.map((name) => `<link rel="stylesheet" href="${appAssets}${name}">`);
  const preloads = web.preloads.map(
    (name) => `<link rel="modulepreload" nonce="${nonce}" href="${appAssets}${name}">`,
  );
  return `<!doctype html>
<html lang="en"${scheme === null ? "" : ` data-scheme="${scheme}"`} data-menu="${fold}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme ?? "light dark"}">
<meta name="robots" content="noindex">
<title>Hub</title>
<link rel="icon" href="${iconUrl}">
<link ${preload}>
<style nonce="${nonce}">${fontFaces}</style>
${[...styles, ...preloads].join("\n")}
<script type="module" nonce="${nonce}" src="${appAssets}${web.entry}"></script>
</head>
<body>
<div id="root"></div>
<noscript>This page needs JavaScript. <a href="/profile">Your profile</a> works without it.</noscript>
</body>
</html>
`;
}
