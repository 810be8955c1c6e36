import {
  InvalidInputError,
  type Json,
  parseJson,
  SetupError,
  toBaseUrl,
  toJsonText,
  toRequestUrl,
  UpstreamError,
} from "@hub/connector";
import type { ApiPath } from "./api-path.ts";
import { type HostContext, listSecrets } from "./codehost-config-fields.ts";
import { toHostError } from "./codehost-errors.ts";

const publicHost = "https://api.github.com";

/** Query parameters. Undefined and empty values are omitted. */
export type Query = Record<string, string | number | bigint | undefined>;

export type HostRequest = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: ApiPath;
  query?: Query;
  body?: Record<string, Json>;
  /** The accepted media type. The default is JSON. */
  accept?: string;
  /** The bytes of the answer that are enough, such as `bytes=0-99`. The host may send all. */
  range?: string;
};

export type HostAnswer = { json: Json; headers: Headers };

/** Sends one request and returns its JSON; null for an answer without a body. */
export async function requestJson(ctx: HostContext, request: HostRequest): Promise<HostAnswer> {
  const response = await sendRequest(ctx, request);
  const text = await response.text();
  return { json: text === "" ? null : toJson(text, response.status), headers: response.headers };
}

/** Sends a request of this connector. Throws UpstreamError if it fails. */
export async function sendRequest(ctx: HostContext, request: HostRequest): Promise<Response> {
  const { method = "GET", body } = request;
  const headers: Record<string, string> = {
    accept: request.accept ?? "application/vnd.github+json",
    authorization: `Bearer ${readToken(ctx)}`,
    "user-agent": "hub-codehost",
    "x-github-api-version": "2022-11-28",
  };
  if (request.range !== undefined) headers.range = request.range;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await ctx.fetch(toUrl(ctx, request), {
    method,
    headers,
    ...(body !== undefined && { body: toJsonText(body) }),
    // A POST that follows a redirect becomes a GET, whose success would hide that nothing was changed.
    redirect: method === "GET" ? "follow" : "manual",
  });
  if (response.ok) return response;
  throw toHostError(response, await response.text(), listSecrets(ctx));
}

/** A line break from pasting is removed before the token is sent and masked. */
function readToken({ config, mask }: HostContext): string {
  const token = config.Token.trim();
  if (token !== config.Token) mask(token, { ofRow: true });
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new SetupError("token contains invalid characters");
}

function toUrl({ config }: HostContext, { path, query = {} }: HostRequest): URL {
  const url = toRequestUrl(toBaseUrl(config.BaseURL?.trim() || publicHost), path.escaped);
  for (const [name, value] of Object.entries(query)) {
    const text = value?.toString() ?? "";
    if (!text.isWellFormed())
      throw new InvalidInputError(name, "is not valid Unicode. Nothing was sent.");
    if (text !== "") url.searchParams.set(name, text);
  }
  return url;
}

function toJson(text: string, status: number): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new UpstreamError(
      "The code host's answer is not JSON. An admin should check base_url; for an enterprise host it must end in /api/v3.",
      { httpStatus: status, cause },
    );
  }
}
