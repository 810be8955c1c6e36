import type { Json } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { findJsonFault, type JsonFault } from "../../../lib/json/find-json-fault.ts";
import { largeBytes } from "../../../lib/time/yield-to-event-loop.ts";
import {
  formType,
  isJsonType,
  isTextType,
  multipartType,
  readContentType,
} from "./content-type.ts";
import { checkCharset, decodeValidText } from "./decode-text.ts";
import { checkMultipart } from "./read-multipart.ts";
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

/** More would occupy the event loop for long when it is parsed and read. */
const jsonLimits = { depthMax: 100, valuesMax: 100_000, longNumberCharsMax: 1024 * 1024 };
const refusals: Record<Exclude<JsonFault, "syntax">, string> = {
  depth: `The JSON of the body is nested more than ${jsonLimits.depthMax} levels deep.`,
  values: `The JSON of the body has more than ${jsonLimits.valuesMax} values. Send it as text/plain, which is not parsed, or in parts.`,
  "long numbers": `The JSON of the body has long numbers with more than ${jsonLimits.longNumberCharsMax} digits together. Send them as texts, or the body as text/plain, which is not parsed.`,
};

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
  const text = decodeValidText(raw, charset);
  if (text === null) throw refuseJson();
  if (raw.byteLength > largeBytes) await yieldToEventLoop();
  // Only a check: a run parses the body when it reads it, in one go, so a body that takes long is refused here.
  const fault = await findJsonFault({ yieldToEventLoop }, text, jsonLimits);
  if (fault === "syntax") throw refuseJson();
  if (fault !== null) throw new HubError("bad_request", refusals[fault]);
}

function refuseJson(): HubError {
  return new HubError(
    "bad_request",
    "The body is not valid JSON, as its Content-Type says. Correct the body or the Content-Type.",
  );
}
