import { parseJson, toBytesText, toJsonText } from "@hub/connector";
import { isNestedWithin } from "../../../lib/json/check-nesting.ts";
import { findJsonFault } from "../../../lib/json/find-json-fault.ts";
import { findTokenSpans } from "../../../secrets/value-tokens/token-format.ts";
import { tokenPrefix } from "../../../secrets/value-tokens/value-tokens.ts";
import { refuseParam } from "./refuse.ts";
import { type PairLimits, readPairs } from "./text-pairs.ts";

export type RequestBody = { content: string | Uint8Array<ArrayBuffer>; contentType: string };

/** Of a body that is given in base64. As much as a webhook may bring. */
export const bodyBytesMax = 10 * 1024 * 1024;

export const formLimits: PairLimits = { pairsMax: 10_000, charsMax: 4 * 1024 * 1024 };

/** What a call gives as its body: a value, or bytes in base64. */
export type GivenBody = { body?: unknown; body_base64?: string | undefined };

/** The request body for the params of a call and its content type; null for none. */
export function toRequestBody(
  { body, body_base64: base64 }: GivenBody,
  contentType: string | undefined,
): RequestBody | null {
  const hasBody = body !== undefined && body !== null;
  if (!hasBody && base64 === undefined) return null;
  if (contentType !== undefined && !mediaType.test(contentType)) {
    refuseParam("content_type", "must be a media type such as application/json");
  }
  if (base64 !== undefined) {
    if (hasBody) refuseParam("body_base64", "cannot be given together with body");
    return { content: decodeBody(base64), contentType: contentType ?? "application/octet-stream" };
  }
  if (typeof body === "string") {
    return { content: body, contentType: contentType ?? toTextType(isJsonText(body)) };
  }
  if (contentType !== undefined && isForm(contentType)) {
    return {
      content: new URLSearchParams(readPairs("body", body, formLimits)).toString(),
      contentType,
    };
  }
  return { content: toJsonText(body), contentType: contentType ?? "application/json" };
}

/** Refuses what is no base64 of RFC 4648 with its padding. White space in it is skipped. */
function decodeBody(base64: string): Uint8Array<ArrayBuffer> {
  // Before it is decoded: four characters are three bytes, and the lines of MIME have 76 of them.
  const charsMax = Math.ceil(bodyBytesMax / 3) * 4 * (78 / 76);
  const bytes = base64.length > charsMax ? null : readBase64(base64);
  if (bytes === null || bytes.length > bodyBytesMax) {
    return refuseParam("body_base64", `must have at most ${toBytesText(bodyBytesMax)}`);
  }
  checkNoTokens(bytes);
  return bytes;
}

function readBase64(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(base64, { lastChunkHandling: "strict" });
  } catch {
    return refuseParam(
      "body_base64",
      "must be base64 with + and /, and with = at its end where its length needs it",
    );
  }
}

/**
 * Value tokens are opened in texts only. Without this, a secret of a workflow that arrived in a webhook's body would be
 * passed on as its token, and so a file would be damaged.
 */
function checkNoTokens(bytes: Uint8Array<ArrayBuffer>): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.includes(tokenPrefix) || findTokenSpans(buffer.toString("latin1")).length === 0) {
    return;
  }
  refuseParam(
    "body_base64",
    "contains an encrypted value (hub_enc_…) in its bytes, which is decrypted in texts only. Send a text as body, or the bytes without the secret",
  );
}

const mediaType = /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/;

function isForm(contentType: string): boolean {
  return contentType.trim().toLowerCase().startsWith("application/x-www-form-urlencoded");
}

/** The content type of a large text, read in steps after which the event loop has a turn. */
export async function findTextType(
  deps: { yieldToEventLoop: () => Promise<void> },
  text: string,
): Promise<string> {
  return toTextType(jsonStart.test(text) && (await findJsonFault(deps, text)) === null);
}

function toTextType(isJson: boolean): string {
  return isJson ? "application/json" : "text/plain;charset=utf-8";
}

const jsonStart = /^\s*[[{]/;
/** Parsing deep brackets takes seconds. */
const depthMax = 256;

/** Models often send JSON as text. */
function isJsonText(text: string): boolean {
  if (!jsonStart.test(text) || !isNestedWithin(text, depthMax)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
