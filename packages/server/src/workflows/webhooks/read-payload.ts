import type { Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { findJsonExcess } from "../../lib/scan-json.ts";
import { largeBytes } from "../../lib/yield-to-event-loop.ts";
import {
  formType,
  isJsonType,
  isTextType,
  multipartType,
  readContentType,
} from "./content-type.ts";
import { checkCharset, decodeValidText } from "./decode-text.ts";
import { checkMultipart } from "./multipart.ts";
import { isPacked } from "./unpack-body.ts";
import { flatten } from "./webhook-payload.ts";

export type WebhookRequest = {
  method: string;
  slug: string;
  headers: Headers;
  query: URLSearchParams;
  /** The body, unpacked. */
  raw: Uint8Array;
  /** Other headers than `x-hub-sig` with the signature or a secret, in lower case. */
  signatureHeaders?: readonly string[];
};

/** They are credentials of the sender, and runs are read by people. */
const hiddenHeaders = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-hub-sig",
  "x-hub-sig-timestamped",
]);

const depthMax = 100;
/** More values would occupy the event loop for long when they are parsed and read. */
const valuesMax = 100_000;
/** More fields would occupy the event loop for long when they are read. */
const formFieldsMax = 10_000;

type ReadDeps = { yieldToEventLoop: () => Promise<void> };

/**
 * What is stored of a request, beside its body. Refuses a body that is not what its type says. Gives the
 * event loop a turn after each step that reads a large body.
 */
export async function readPayload(
  deps: ReadDeps,
  request: WebhookRequest,
): Promise<Record<string, Json>> {
  const { method, slug, headers, query, raw } = request;
  // They are those of the packed body.
  const packed = isPacked(headers.get("content-encoding"))
    ? ["content-encoding", "content-length"]
    : [];
  const hidden = new Set([...hiddenHeaders, ...packed, ...(request.signatureHeaders ?? [])]);
  const shown = [...headers].filter(([name]) => !hidden.has(name));
  const { mediaType: type, charset, boundary } = readContentType(headers.get("content-type"));
  if (isTextType(type)) checkCharset(charset, raw.byteLength);
  if (type === formType) checkFormBody(raw);
  else if (type === multipartType) checkMultipart(raw, boundary);
  else if (isJsonType(type)) await checkJsonBody(deps, raw, charset);
  return { path: slug, method, headers: flatten(shown), query: flatten(query) };
}

function checkFormBody(raw: Uint8Array): void {
  const separator = "&".charCodeAt(0);
  let at = -1;
  for (let count = 0; count < formFieldsMax; count += 1) {
    at = raw.indexOf(separator, at + 1);
    if (at < 0) return;
  }
  throw new HubError("bad_request", `A form has at most ${formFieldsMax} fields. Send fewer.`);
}

async function checkJsonBody(
  { yieldToEventLoop }: ReadDeps,
  raw: Uint8Array,
  charset: string | null,
): Promise<void> {
  if (raw.byteLength === 0) return;
  const isLarge = raw.byteLength > largeBytes;
  let excess: ReturnType<typeof findJsonExcess>;
  try {
    const text = decodeValidText(raw, charset);
    if (text === null) throw refuseJson();
    if (isLarge) await yieldToEventLoop();
    excess = findJsonExcess(text, { depthMax, valuesMax });
    if (isLarge) await yieldToEventLoop();
    if (excess === null) {
      // Only a check: a run parses the body when it reads it.
      JSON.parse(text);
      return;
    }
  } catch (thrown) {
    throw thrown instanceof HubError ? thrown : refuseJson(thrown);
  }
  throw new HubError(
    "bad_request",
    excess === "depth"
      ? `The JSON of the body is nested more than ${depthMax} levels deep.`
      : `The JSON of the body has more than ${valuesMax} values. Send it as text/plain, which is not parsed, or in parts.`,
  );
}

function refuseJson(cause?: unknown): HubError {
  return new HubError(
    "bad_request",
    "The body is not valid JSON, as its Content-Type says. Correct the body or the Content-Type.",
    { cause },
  );
}
