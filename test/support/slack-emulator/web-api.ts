import { chatMethods } from "./methods/chat.ts";
import { conversationMethods } from "./methods/conversations.ts";
import type { Method, MethodContext } from "./methods/define-method.ts";
import { directoryMethods } from "./methods/directory.ts";
import { viewMethods } from "./methods/views.ts";
import { SlackError } from "./slack-error.ts";
import type { JsonObject, Workspace } from "./workspace.ts";

type ApiCall = { method: string; args: JsonObject; answer: JsonObject };

export type WebApi = {
  handle(request: Request): Promise<Response>;
  /** Every call that was authenticated, in order. */
  calls: readonly ApiCall[];
  callsOf(method: string): readonly ApiCall[];
  /** Answers 429 to the next calls. A call before the time is over is a fault. */
  limitRate(method: string, options?: { retryAfterS?: number; times?: number }): void;
  /** Takes calls again before the time of Retry-After is over. */
  endLimit(method: string): void;
  /** Answers the next calls with an error, such as `fatal_error`. */
  failCalls(method: string, error: string, options?: { times?: number }): void;
  /** Answers the next calls with status 503 and a page of HTML. */
  breakCalls(method: string, options?: { times?: number }): void;
  /** Keeps the answers to calls, until the function that it returns is called. */
  holdCalls(method: string): () => void;
};

type Planned =
  | { kind: "limit"; retryAfterS: number }
  | { kind: "fail"; error: string }
  | { kind: "break" };

const methods: Record<string, Method> = {
  ...chatMethods,
  ...conversationMethods,
  ...directoryMethods,
  ...viewMethods,
};

export function createWebApi(slack: Workspace, context: (origin: string) => MethodContext): WebApi {
  const calls: ApiCall[] = [];
  const planned = new Map<string, Planned[]>();
  const limitedUntil = new Map<string, number>();
  const held = new Map<string, Promise<void>>();
  const plan = (method: string, times: number, what: Planned) => {
    const queue = planned.get(method) ?? [];
    for (let i = 0; i < times; i += 1) queue.push(what);
    planned.set(method, queue);
  };

  const answerPlanned = (name: string): Response | null => {
    const until = limitedUntil.get(name) ?? 0;
    if (Date.now() < until) {
      slack.faults.push(`${name}: called before the time of Retry-After was over.`);
      return toRateLimit(Math.ceil((until - Date.now()) / 1_000));
    }
    const next = planned.get(name)?.shift();
    if (!next) return null;
    if (next.kind === "fail") throw new SlackError(next.error);
    if (next.kind === "break") return new Response("<html>Down</html>", { status: 503 });
    limitedUntil.set(name, Date.now() + next.retryAfterS * 1_000);
    return toRateLimit(next.retryAfterS);
  };

  return {
    calls,
    callsOf: (method) => calls.filter((call) => call.method === method),
    limitRate(method, { retryAfterS = 1, times = 1 } = {}) {
      plan(method, times, { kind: "limit", retryAfterS });
    },
    endLimit: (method) => void limitedUntil.delete(method),
    failCalls: (method, error, { times = 1 } = {}) => plan(method, times, { kind: "fail", error }),
    breakCalls: (method, { times = 1 } = {}) => plan(method, times, { kind: "break" }),
    holdCalls(method) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(method, promise);
      return () => {
        held.delete(method);
        resolve();
      };
    },
    async handle(request) {
      const url = new URL(request.url);
      const name = url.pathname.slice("/api/".length);
      const headers: Record<string, string> = { "x-slack-req-id": crypto.randomUUID() };
      const warnings: string[] = [];
      let answer: JsonObject;
      try {
        const method = methods[name];
        if (!method)
          throw new SlackError("unknown_method", { req_method: name }, { isFault: true });
        const sent = await readArguments(request, url, method, warnings);
        checkToken(slack, method, sent.token, headers);
        const fault = answerPlanned(name);
        if (fault) return fault;
        answer = { ok: true };
        try {
          Object.assign(answer, method.run(context(url.origin), sent.args));
        } finally {
          calls.push({ method: name, args: sent.args, answer });
        }
      } catch (cause) {
        if (!(cause instanceof SlackError)) throw cause;
        if (cause.isFault)
          slack.faults.push(`${name}: ${cause.code} ${JSON.stringify(cause.extra)}`);
        answer = { ok: false, error: cause.code, ...cause.extra };
      }
      await held.get(name);
      return Response.json(addWarnings(answer, warnings), { headers });
    },
  };
}

function toRateLimit(retryAfterS: number): Response {
  const headers = { "retry-after": String(retryAfterS) };
  return Response.json({ ok: false, error: "ratelimited" }, { status: 429, headers });
}

function addWarnings(answer: JsonObject, warnings: readonly string[]): JsonObject {
  if (warnings.length === 0) return answer;
  const metadata = { ...Object(answer.response_metadata), warnings };
  return { ...answer, warning: warnings.join(","), response_metadata: metadata };
}

/** Arguments are in the query, in a form, or for some methods in JSON; the token in a header or a form. */
async function readArguments(
  request: Request,
  url: URL,
  method: Method,
  warnings: string[],
): Promise<{ args: JsonObject; token: string | null }> {
  const refuse = (code: string, why: string): never => {
    throw new SlackError(code, { response_metadata: { messages: [why] } }, { isFault: true });
  };
  const bearer = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
  const query: JsonObject = Object.fromEntries(url.searchParams);
  if ("token" in query) refuse("invalid_auth", "A token in the query is not accepted.");
  if (request.method === "GET") return { args: query, token: bearer };
  if (request.method !== "POST") refuse("invalid_post_type", request.method);

  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "").split(";");
  const hasCharset = parameters.some((parameter) => parameter.trim().startsWith("charset="));
  if (type === "application/json") {
    if (!hasCharset) warnings.push("missing_charset");
    const body: unknown = await request.json().catch(() => refuse("invalid_json", "no JSON"));
    if (typeof body !== "object" || !body || Array.isArray(body)) refuse("json_not_object", "");
    if (!method.takesJson) refuse("invalid_arguments", "The method takes no JSON.");
    const args = { ...query, ...Object(body) };
    if ("token" in args) refuse("not_authed", "A token in a JSON body is not read.");
    return { args, token: bearer };
  }
  if (type === "application/x-www-form-urlencoded" || type === "multipart/form-data") {
    if (hasCharset) warnings.push("superfluous_charset");
    const { token, ...args } = Object.fromEntries(await request.formData());
    return { args: { ...query, ...args }, token: bearer ?? (token ? String(token) : null) };
  }
  if ((await request.text()) !== "") refuse("invalid_post_type", `Content-Type: ${type}`);
  return { args: query, token: bearer };
}

function checkToken(
  slack: Workspace,
  method: Method,
  token: string | null,
  headers: Record<string, string>,
): void {
  if (!token) throw new SlackError("not_authed", {}, { isFault: true });
  const kind = token === slack.botToken ? "bot" : token === slack.appToken ? "app" : null;
  if (!kind) throw new SlackError("invalid_auth");
  const refused = slack.tokenErrors.get(token);
  if (refused) throw new SlackError(refused);
  if (method.tokenKind !== "any" && method.tokenKind !== kind) {
    throw new SlackError("not_allowed_token_type", {}, { isFault: true });
  }
  const granted = kind === "bot" ? slack.botScopes : slack.appScopes;
  headers["x-oauth-scopes"] = [...granted].join(",");
  headers["x-accepted-oauth-scopes"] = method.scopes.join(",");
  const needed = method.scopes.find((scope) => !granted.has(scope));
  if (needed) {
    throw new SlackError("missing_scope", { needed, provided: [...granted].join(",") });
  }
}
