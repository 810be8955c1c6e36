import {
  type Json,
  OutboundError,
  parseJson,
  SetupError,
  toJsonText,
  toPathPart,
  toRequestUrl,
  UpstreamError,
} from "@hub/connector";
import { smallerAdvice, toHostError } from "./host-error.ts";
import { toHostUrl } from "./logs-base-url.ts";
import type { HostContext } from "./logs-config-fields.ts";
import { type Identity, toRequestHeaders } from "./request-headers.ts";

export type HostRequest = {
  /** The path below the base URL, with escaped variable parts. */
  path: string;
  query?: Record<string, string>;
  /** The body, which is sent as JSON with POST. */
  body?: Json;
  /** The default is login and organisation. */
  identity?: Identity;
  signal?: AbortSignal;
};

/** Sends a request of this connector. Throws UpstreamError if the answer is not JSON. */
export async function requestJson(ctx: HostContext, request: HostRequest): Promise<Json> {
  const { body, identity = "login-and-org", signal } = request;
  const headers = toRequestHeaders(ctx, identity);
  if (body !== undefined) headers["content-type"] = "application/json";
  const url = toUrl(ctx, request);
  const { response, text } = await fetchText(ctx, url, {
    method: body === undefined ? "GET" : "POST",
    headers,
    ...(body !== undefined && { body: toJsonText(body) }),
    ...(signal !== undefined && { signal }),
    // A redirect would be followed without the login, and the error would look like a wrong login.
    redirect: "manual",
  });
  if (!response.ok) throw toHostError(ctx.config, response, text);
  return toJson(text, response.status);
}

async function fetchText(ctx: HostContext, url: URL, init: RequestInit) {
  try {
    const response = await ctx.fetch(url, init);
    return { response, text: await response.text() };
  } catch (thrown) {
    if (!(thrown instanceof OutboundError) || thrown.code !== "timeout") throw thrown;
    // The host waits for a log store that hangs or reads many lines.
    const message = `${thrown.message} Loki may be overloaded. ${smallerAdvice}`;
    throw new OutboundError("timeout", message, { cause: thrown });
  }
}

/** Requests a resource of the row's datasource, such as `labels`. */
export async function requestResource(
  ctx: HostContext,
  resource: string,
  query: Record<string, string>,
  signal?: AbortSignal,
): Promise<Json> {
  const uid = toPathPart(readDatasourceUid(ctx), (problem) => {
    throw new SetupError(`datasource_uid ${problem}`);
  });
  return await requestJson(ctx, {
    path: `/api/datasources/uid/${uid}/resources/${resource}`,
    query,
    ...(signal !== undefined && { signal }),
  });
}

export function readDatasourceUid({ config }: HostContext): string {
  const uid = config.DatasourceUID?.trim() ?? "";
  if (uid === "") throw new SetupError("datasource_uid is not set");
  return uid;
}

/** The error for an answer with an unexpected shape, which is not from a dashboard host. */
export function toShapeError(): UpstreamError {
  return new UpstreamError(
    "The host's answer is not that of Grafana with a log datasource. An admin should check base_url and datasource_uid.",
  );
}

function toUrl({ config }: HostContext, { path, query = {} }: HostRequest): URL {
  const url = toRequestUrl(toHostUrl(config.BaseURL), path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function toJson(text: string, status: number): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new UpstreamError(
      "The host's answer is not JSON. An admin should check base_url; it may be the address of a login page or a proxy.",
      { httpStatus: status, cause },
    );
  }
}
