import type { OperationContext } from "@hub/connector";
import { largeBytes, yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { AnswerBudget } from "../../connector-port.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { toAnswerError } from "./answer-error.ts";
import type { HttpConfig } from "./http-config-fields.ts";
import { refuseMethodOverride } from "./method-override.ts";
import { findTextType, toRequestBody } from "./request-body.ts";
import { toRequestHeaders } from "./request-headers.ts";
import { readBaseUrl, toRequestUrl } from "./request-url.ts";

/** The inputs of all operations. Operations without a body do not have the last three. */
type RequestParams = {
  path: string;
  query: unknown;
  headers: unknown;
  body?: unknown;
  body_base64?: string | undefined;
  content_type?: string | undefined;
};

type Context = Pick<OperationContext, "fetch" | "mask"> & {
  config: HttpConfig;
  params: RequestParams;
  /** Set by the hub; not set by other hosts. */
  memory?: AnswerBudget;
};

/** Sends one request and reads the answer. Throws UpstreamError for a status of 400 or above. */
export async function sendRequest(
  { config, params, fetch, mask, memory }: Context,
  method: string,
): Promise<Answer> {
  const url = toRequestUrl(config, params.path, params.query);
  const headers = toRequestHeaders(config, params.headers, mask);
  const given = params.content_type ?? headers.get("content-type") ?? undefined;
  const body = toRequestBody(params, given ?? (await findLargeType(params)));
  await refuseMethodOverride({ yieldToEventLoop }, method, { url, body });
  if (body !== null) headers.set("content-type", body.contentType);
  const response = await fetch(url, {
    method,
    headers,
    credentialsBelow: readBaseUrl(config.BaseURL),
    ...(body !== null && { body: body.content }),
  });
  const answer = await readAnswer(response, method, memory);
  if (answer.status < 400) return answer;
  throw toAnswerError(answer, { method, response, now: Date.now() });
}

/** The content type of a large text, whose parsing would hold the event loop. */
async function findLargeType({ body, body_base64: bytes }: RequestParams) {
  if (typeof body !== "string" || bytes !== undefined || body.length < largeBytes) return undefined;
  return await findTextType({ yieldToEventLoop }, body);
}
