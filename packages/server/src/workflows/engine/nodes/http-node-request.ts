import {
  createGuardedFetch,
  OutboundError,
  parseFields,
  readRequestedWait,
  wick,
} from "@hub/connector";
import { readAnswer } from "../../../connectors/builtin/http/answer.ts";
import { describeAnswer, toExcerpt } from "../../../connectors/builtin/http/answer-error.ts";
import { type RequestBody, toRequestBody } from "../../../connectors/builtin/http/request-body.ts";
import { findHeaderProblem } from "../../../connectors/builtin/http/request-headers.ts";
import type { Network } from "../../../connectors/local-connector.ts";
import { HubError } from "../../../errors.ts";
import type { TaskTools } from "../../../operations/calls/call-task.ts";
import { listCredentialParts } from "../../../secrets/needles/credential-parts.ts";
import { isRead } from "../step/node-effects.ts";

/** The rendered fields of an `http` node, with opened tokens. */
export type HttpRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  query: Record<string, string>;
  body?: unknown;
  body_base64?: string;
};

/** Opened tokens are written so that each stays one value. */
export const httpFields = parseFields("http node", {
  Url: wick("embed=path"),
  Body: wick.json("embed=form"),
});

export type HttpRequestOptions = {
  /** Non-public destinations that may be called. */
  allow: readonly string[];
  network?: Network;
  workflowId: string;
  timeoutMs: number;
  idempotencyKey: string;
  now(): number;
};

const requestBytesMax = 64 * 1024;
const answerBytesMax = 4 * 1024 * 1024;
const headersMax = 100;
const idempotencyHeader = "idempotency-key";

/** Throws for a request that would not be sent. Tokens in it need not be opened. */
export function checkHttpRequest(request: HttpRequest): void {
  const headers = toHeaders(request, { mask() {} });
  checkSize(toUrl(request), headers, toBody(request, headers));
}

/** Sends the request and reads the answer. Throws for a status of 400 or above. */
export async function sendHttpRequest(
  tools: TaskTools,
  request: HttpRequest,
  options: HttpRequestOptions,
) {
  const { method } = request;
  const url = toUrl(request);
  const headers = toHeaders(request, tools);
  const body = toBody(request, headers);
  if (body !== null) headers.set("content-type", body.contentType);
  if (!isRead(method) && !headers.has(idempotencyHeader)) {
    headers.set(idempotencyHeader, options.idempotencyKey);
  }
  checkSize(url, headers, body);
  const guardedFetch = createGuardedFetch({
    ...options.network,
    policy: { savedHosts: [], allow: [...options.allow] },
    advice: "An admin can list the host in HUB_WORKFLOW_OUTBOUND_ALLOW.",
    pool: options.workflowId,
    timeoutMs: options.timeoutMs,
    bodyBytesMax: answerBytesMax,
    signal: tools.signal,
  });
  const init = { method, headers, ...(body !== null && { body: body.content }) };
  const response = await guardedFetch(url, init).catch(throwRefusal);
  tools.recordHttpStatus(response.status);
  const answer = await readAnswer(response, method, tools.memory);
  if (answer.status >= 400) throw toFailure(response, answer, { method, now: options.now() });
  return { status: answer.status, headers: listHeaders(response), body: answer.body };
}

function toUrl({ url: text, query }: HttpRequest): URL {
  // The text is not quoted: it may contain an opened secret.
  if (!URL.canParse(text)) throw refuse("The address is not valid. Write the whole address.");
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url;
}

function toHeaders({ headers: given }: HttpRequest, { mask }: Pick<TaskTools, "mask">): Headers {
  const entries = Object.entries(given);
  if (entries.length > headersMax) throw refuse(`A request has at most ${headersMax} headers.`);
  const headers = new Headers();
  for (const [name, value] of entries) {
    const problem = findHeaderProblem(name, value);
    if (problem !== null) throw refuse(`The headers ${problem}. Check their templates.`);
    headers.set(name, value);
  }
  maskCredentials(headers, mask);
  return headers;
}

/** Refuses a text that is too large before it is read. */
function toBody(request: HttpRequest, headers: Headers): RequestBody | null {
  const { body } = request;
  if (typeof body === "string" && body.length > requestBytesMax) throw refuseLarge();
  return toRequestBody(request, headers.get("content-type") ?? undefined);
}

/** A server can answer with a part of them, such as the password of `Basic`. */
function maskCredentials(headers: Headers, mask: TaskTools["mask"]): void {
  const value = headers.get("authorization") ?? "";
  for (const part of listCredentialParts(value)) mask(part);
}

/** Bytes have a limit of their own. */
function checkSize(url: URL, headers: Headers, body: RequestBody | null): void {
  const text = typeof body?.content === "string" ? body.content : "";
  let bytes = url.href.length + Buffer.byteLength(text);
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  if (bytes > requestBytesMax) throw refuseLarge();
}

function refuseLarge(): HubError {
  return refuse("The request is larger than 64 KiB with its headers. Send less.");
}

function listHeaders(response: Response): Record<string, string> {
  // Cookies of the server are not kept.
  return Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie"));
}

/** Another try cannot succeed. */
function throwRefusal(thrown: unknown): never {
  const isRefusal =
    thrown instanceof OutboundError && (thrown.code === "blocked" || thrown.code === "bad_url");
  throw isRefusal ? refuse(thrown.message, thrown) : thrown;
}

function toFailure(
  response: Response,
  answer: Awaited<ReturnType<typeof readAnswer>>,
  { method, now }: { method: string; now: number },
): HubError {
  const sentences = describeAnswer(answer, { method, statusText: response.statusText });
  const upstream = toExcerpt(answer.body);
  const retryAfterS = readRequestedWait(response, { now, body: answer.body });
  return new HubError("upstream_error", sentences.join(" "), {
    detail: {
      http_status: answer.status,
      ...(upstream !== undefined && { upstream }),
      ...(retryAfterS !== null && { retry_after_s: retryAfterS }),
    },
  });
}

function refuse(message: string, cause?: unknown): HubError {
  return new HubError("invalid_params", message, { cause });
}
