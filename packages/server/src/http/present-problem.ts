import type { Problem } from "@hub/contract/problem.ts";
import type { Context, ErrorHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import {
  type ErrorCode,
  errorTable,
  type HubError,
  isOutsideFailure,
  toHubError,
} from "../errors.ts";
import type { Log } from "../lib/create-log.ts";
import type { RefusalLog } from "../lib/refusal-log.ts";
import type { AppEnv } from "./app-env.ts";
import { addPageHeaders } from "./set-page-headers.ts";

/** A failure as the body of an HTTP answer. */
export function toProblemResponse(
  { code, message, detail }: HubError,
  headers: Record<string, string> = headersOf[code] ?? {},
): Response {
  const problem: Problem = { error: message, code };
  return Response.json({ ...detail, ...problem }, { status: errorTable[code].httpStatus, headers });
}

/** Answers what a guard or handler threw. Only what is the hub's own fault is logged one by one. */
export function presentProblem(deps: {
  log: Pick<Log, "error">;
  refusals: RefusalLog;
  baseUrl: string;
}): ErrorHandler<AppEnv> {
  return (thrown, ctx) => {
    const failure = toHubError(thrown);
    // Every official client asks once for a stream by GET, with a good token: that is no news.
    if (failure.code === "method_not_allowed") return toProblemResponse(failure);
    if (errorTable[failure.code].httpStatus < 500) {
      deps.refusals.note(failure.code);
    } else {
      const path = toLoggedPath(ctx.req.path);
      const { code, cause } = failure;
      const fault = isOutsideFailure(code) ? { code } : { err: cause ?? failure };
      const message = failure.localMessage ?? failure.message;
      deps.log.error({ ...fault, path, requestId: ctx.get("requestId") }, message);
    }
    return isForPeople(ctx) ? presentPage(deps, ctx, failure) : toProblemResponse(failure);
  };
}

/** Ids are worth a search in the log; what is longer than one lets somebody in, or could. */
function toLoggedPath(path: string): string {
  return path.replace(/[^/]{37,}/g, "…");
}

/** A browser that shows a page asks for HTML; programs, and scripts of pages, do not. */
function isForPeople(ctx: Context<AppEnv>): boolean {
  if (/^\/(mcp|\w+\/api)(\/|$)/.test(ctx.req.path)) return false;
  return /\btext\/html\b/.test(ctx.req.header("accept") ?? "");
}

/** Loaded with the first one: programs that only speak MCP never need it. */
async function presentPage(
  deps: { baseUrl: string },
  ctx: Context<AppEnv>,
  failure: HubError,
): Promise<Response> {
  const { toProblemPage } = await import("./pages/problem.tsx");
  ctx.status(errorTable[failure.code].httpStatus as StatusCode);
  const { renderPage } = await import("./pages/render-page.ts");
  const shown = { signedIn: ctx.get("session") ?? null, requestId: ctx.get("requestId") };
  const page = await renderPage(ctx, toProblemPage(failure, shown));
  addPageHeaders(page.headers, deps);
  return page;
}

const headersOf: { [Code in ErrorCode]?: Record<string, string> } = {
  method_not_allowed: { Allow: "POST" },
  // RFC 6750: a client learns that another token would do.
  insufficient_scope: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="manage"' },
  // Whatever of the body is still on its way would have to be read past.
  body_too_large: { Connection: "close" },
  body_too_slow: { Connection: "close" },
};
