import type { Context } from "hono";
import { html } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { AppEnv } from "../app-env.ts";

/** Answers with a page. Without the first line browsers would lay it out as pages of 1998. */
export function renderPage(ctx: Context<AppEnv>, page: JSX.Element): Response | Promise<Response> {
  return ctx.html(html`<!doctype html>${page}`);
}
