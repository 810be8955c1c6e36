/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { html } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { AppEnv } from "../app-env.ts";
import { SchemeContext } from "./page.tsx";
import { readScheme } from "./page-look.ts";

/** Answers with a page. Without the doctype browsers would use quirks mode. */
export function renderPage(ctx: Context<AppEnv>, page: JSX.Element): Response | Promise<Response> {
  const whole = <SchemeContext.Provider value={readScheme(ctx)}>{page}</SchemeContext.Provider>;
  return ctx.html(html`<!doctype html>${whole}`);
}
