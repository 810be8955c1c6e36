import { toJsonText } from "@hub/connector";
import type { Problem } from "@hub/contract/problem-document.ts";
import type { Context, ErrorHandler } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import {
  type ErrorCode,
  errorTable,
  type HubError,
  isOutsideFailure,
  toHubError,
} from "../errors.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { RefusalLog } from "../lib/logs/refusal-log.ts";
import type { AppEnv } from "./app-env.ts";
import { addPageHeaders } from "./pages/set-page-headers.ts";

/** The HTTP response for a failure. */
export function toProblemResponse(
  { code, message, detail }: HubError,
  headers: Record<string, string> = headersOf[code] ?? {},
): Response {
  const problem: Problem = { error: message, code };
  const response = new Response(toJsonText({ ...detail, ...problem }), {
    status: errorTable[code].httpStatus,
    headers: { "Content-Type": "application/json;charset=utf-8", ...headers },
  });
  addRetryAfter(response.headers, { code, detail });
  return response;
}

/** The seconds of the failure, or those of its code. */
function addRetryAfter(
  headers: Headers,
  { code, detail }: Pick<HubError, "code" | "detail">,
): void {
  const seconds = toRetryAfter({ code, detail });
  if (seconds !== null) headers.set("Retry-After", String(seconds));
}

/** The seconds after which a request may be sent again; null if that does not help. */
export function toRetryAfter({ code, detail }: Pick<HubError, "code" | "detail">): number | null {
  const seconds = detail.retry_after_s ?? retryAfterOf[code];
  return typeof seconds === "number" ? seconds : null;
}

export type ProblemDeps = { log: Pick<Log, "error">; refusals: RefusalLog };

/** The request that failed, as the log names it. */
type FailedRequest = { path: string; requestId: string };

/** Records a failure that a guard or handler threw, and returns its response. */
export function toProblem(deps: ProblemDeps, thrown: unknown, request: FailedRequest): Response {
  const failure = toHubError(thrown);
  recordFailure(deps, failure, request);
  return toProblemResponse(failure);
}

/** The same for the router, whose routes include pages for people. */
export function presentProblem(deps: ProblemDeps & { baseUrl: string }): ErrorHandler<AppEnv> {
  return (thrown, ctx) => {
    const failure = toHubError(thrown);
    recordFailure(deps, failure, { path: ctx.req.path, requestId: ctx.get("requestId") });
    return isForPeople(ctx) ? presentPage(deps, ctx, failure) : toProblemResponse(failure);
  };
}

/** Only server errors are logged one by one. */
export function recordFailure(
  { log, refusals }: ProblemDeps,
  failure: HubError,
  { path, requestId }: FailedRequest,
): void {
  const { code, cause } = failure;
  // Every official client sends one GET for an event stream.
  if (code === "method_not_allowed") return;
  if (errorTable[code].httpStatus < 500) {
    refusals.record(code);
    return;
  }
  const fault = isOutsideFailure(code) ? { code } : { err: cause ?? failure };
  log.error(
    { ...fault, path: toLoggedPath(path), requestId },
    failure.localMessage ?? failure.message,
  );
}

/** Hides path segments longer than an id, because they may be credentials. */
function toLoggedPath(path: string): string {
  return path.replace(/[^/]{37,}/g, "…");
}

/** Whether the client is a browser that loads a page: such requests accept HTML. */
function isForPeople(ctx: Context<AppEnv>): boolean {
  if (/^\/\w+\/api(\/|$)/.test(ctx.req.path)) return false;
  return /\btext\/html\b/.test(ctx.req.header("accept") ?? "");
}

/** Loads the page code on first use, because a hub that only serves MCP never needs it. */
async function presentPage(
  deps: { baseUrl: string },
  ctx: Context<AppEnv>,
  failure: HubError,
): Promise<Response> {
  const { toProblemPage } = await import("./pages/problem.tsx");
  ctx.status(errorTable[failure.code].httpStatus as StatusCode);
  const { renderPage } = await import("./pages/render-page.tsx");
  const shown = { signedIn: ctx.get("session") ?? null, requestId: ctx.get("requestId") };
  const page = await renderPage(ctx, toProblemPage(failure, shown));
  addPageHeaders(page.headers, deps);
  addRetryAfter(page.headers, failure);
  return page;
}

const headersOf: { [Code in ErrorCode]?: Record<string, string> } = {
  method_not_allowed: { Allow: "POST" },
  // RFC 6750, section 3.1.
  insufficient_scope: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="manage"' },
  // Otherwise the rest of the body would have to be read.
  body_too_large: { Connection: "close" },
  body_too_slow: { Connection: "close" },
};

const retryAfterOf: { [Code in ErrorCode]?: number } = {
  rate_limited: 5,
  // The database may be back by then.
  unavailable: 5,
};
