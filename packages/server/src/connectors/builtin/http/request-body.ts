import { parseJson, toJsonText } from "@hub/connector";
import { type PairLimits, readPairs } from "./pairs.ts";
import { refuseParam } from "./refuse.ts";

export type RequestBody = { text: string; contentType: string };

export const formLimits: PairLimits = { pairsMax: 10_000, charsMax: 4 * 1024 * 1024 };

/** The request body for a `body` param and its content type; null for none. */
export function toRequestBody(body: unknown, contentType: string | undefined): RequestBody | null {
  if (body === undefined || body === null) return null;
  if (contentType !== undefined && !mediaType.test(contentType)) {
    refuseParam("content_type", "must be a media type such as application/json");
  }
  if (typeof body === "string") {
    const automatic = isJsonText(body) ? "application/json" : "text/plain;charset=utf-8";
    return { text: body, contentType: contentType ?? automatic };
  }
  if (contentType !== undefined && isForm(contentType)) {
    return {
      text: new URLSearchParams(readPairs("body", body, formLimits)).toString(),
      contentType,
    };
  }
  return { text: toJsonText(body), contentType: contentType ?? "application/json" };
}

const mediaType = /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/;

function isForm(contentType: string): boolean {
  return contentType.trim().toLowerCase().startsWith("application/x-www-form-urlencoded");
}

/** Models often send JSON as text. */
function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
