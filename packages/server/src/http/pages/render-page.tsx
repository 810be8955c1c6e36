/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { html } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { AppEnv } from "../app-env.ts";
import { FrameContext, hasMenu } from "./page.tsx";
import { readFold, readScheme } from "./page-look.ts";
import { copyPolicy, framePolicy, ownPasskeyPolicy, passkeyPolicy } from "./page-scripts.ts";
import { pagePolicy } from "./set-page-headers.ts";

type Options = {
  /** `none` for pages that give access to others: they run no script, also with the menu. */
  scripts?: "frame" | "copy" | "passkey" | "none";
};

/**
 * Answers with a page and its policy. Scripts are a part of the menu, so the pages before it, such as sign-in, run none but
 * that for passkeys.
 * Without the doctype browsers would use quirks mode.
 */
export function renderPage(
  ctx: Context<AppEnv>,
  page: JSX.Element,
  { scripts = "frame" }: Options = {},
): Response | Promise<Response> {
  const hasScripts = scripts !== "none" && hasMenu(ctx.get("session") ?? null);
  ctx.header("Content-Security-Policy", toPolicy(scripts, hasScripts));
  const frame = { scheme: readScheme(ctx), fold: readFold(ctx), hasScripts };
  const whole = <FrameContext.Provider value={frame}>{page}</FrameContext.Provider>;
  return ctx.html(html`<!doctype html>${whole}`);
}

function toPolicy(scripts: Options["scripts"], hasScripts: boolean): string {
  if (scripts === "passkey") return hasScripts ? ownPasskeyPolicy : passkeyPolicy;
  if (!hasScripts) return pagePolicy;
  return scripts === "copy" ? copyPolicy : framePolicy;
}
