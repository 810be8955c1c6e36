import { type Json, type JsonSchema, parseJson } from "@hub/connector";
import { isSmallJson } from "../../../lib/json/check-json.ts";
import { loopBytesMax } from "../../../lib/limits/answer-limits.ts";
import { createByteCollector } from "../../../lib/streams/collect-bytes.ts";
import { type BodyForm, UnreadBody } from "../../../lib/streams/unread-body.ts";
import type { AnswerBudget } from "../../connector-port.ts";

/** The part of the server's answer that an operation returns. */
export type Answer = { status: number; headers: Record<string, string>; body: Json };

export const answerSchema: JsonSchema = {
  type: "object",
  properties: {
    status: { type: "integer", description: "HTTP status." },
    headers: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Headers for paging, caching, limits and links; names in lower case.",
    },
    body: {
      description:
        "Parsed JSON, text, null if empty, or {binary, content_type, bytes} for other content.",
    },
  },
  required: ["status", "headers", "body"],
};

/** Headers for paging, caching, limits and links. Others would only fill a model's context. */
const usefulHeaders = new Set([
  "allow",
  "content-disposition",
  "content-language",
  "content-range",
  "content-type",
  "deprecation",
  "etag",
  "last-modified",
  "link",
  "location",
  "retry-after",
  "sunset",
  "warning",
  "x-next-page",
  "x-page",
  "x-per-page",
  "x-prev-page",
  "x-request-id",
  "x-total",
  "x-total-count",
  "x-total-pages",
]);
const limitHeader = /^(x-)?rate-?limit/;

export async function readAnswer(
  response: Response,
  method: string,
  budget?: AnswerBudget,
): Promise<Answer> {
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    const isWanted = method === "HEAD" || usefulHeaders.has(name) || limitHeader.test(name);
    // Cookies of the server are not kept.
    if (isWanted && name !== "set-cookie") headers[name] = value;
  }
  return { status: response.status, headers, body: await readBody(response, budget) };
}

/** Whether the body is JSON or text by its type, without an encoding that was not requested. */
export function isReadable(response: Response): boolean {
  const { mediaType } = parseContentType(response.headers.get("content-type") ?? "");
  return !isEncoded(response) && (isJson(mediaType) || isText(mediaType));
}

async function readBody(response: Response, budget?: AnswerBudget): Promise<Json> {
  const contentType = response.headers.get("content-type") ?? "";
  const { mediaType, charset } = parseContentType(contentType);
  if (!isReadable(response)) return await describeBinary(response, contentType);
  const bytes = await readBytes(response, budget);
  if (bytes.byteLength === 0) return null;
  const binary = { binary: true, content_type: contentType, bytes: bytes.byteLength };
  if (bytes.byteLength > loopBytesMax) {
    return new UnreadBody(bytes, toForm(mediaType, charset, binary));
  }
  const text = decode(bytes, charset, mediaType);
  if (text === null) return binary;
  if (!isJson(mediaType)) return text;
  // A short text can still contain many values.
  return isSmallJson(text)
    ? parseOrKeep(text)
    : new UnreadBody(bytes, toForm(mediaType, charset, binary));
}

function toForm(mediaType: string, charset: string | undefined, otherwise: Json): BodyForm {
  if (mediaType === "") return { kind: "maybe-text", otherwise };
  const { encoding } = findDecoder(charset);
  return { kind: isJson(mediaType) ? "maybe-json" : "text", charset: encoding };
}

/** Whether the content has an encoding that was not requested. */
function isEncoded(response: Response): boolean {
  return response.headers.has("content-encoding");
}

async function describeBinary(response: Response, contentType: string): Promise<Json> {
  const announced = response.headers.get("content-length");
  if (announced !== null && announced !== "0") {
    await response.body?.cancel();
    return { binary: true, content_type: contentType, bytes: Number(announced) };
  }
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
  return bytes === 0 ? null : { binary: true, content_type: contentType, bytes };
}

function parseContentType(text: string): { mediaType: string; charset: string | undefined } {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(text)?.[1];
  return { mediaType: (text.split(";")[0] ?? "").trim().toLowerCase(), charset };
}

function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || mediaType.endsWith("+json");
}

const textTypes = new Set([
  "",
  "application/ecmascript",
  "application/graphql",
  "application/javascript",
  "application/jsonl",
  "application/sql",
  "application/toml",
  "application/x-ndjson",
  "application/x-www-form-urlencoded",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
  "image/svg+xml",
]);

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType.endsWith("+xml") || textTypes.has(mediaType);
}

/** Null if its type is unknown and it is not valid UTF-8. */
function decode(bytes: Uint8Array, charset: string | undefined, mediaType: string): string | null {
  if (mediaType !== "") return findDecoder(charset).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function findDecoder(charset: string | undefined) {
  try {
    // The constructor throws for an unknown label.
    return new TextDecoder(charset as Bun.Encoding | undefined);
  } catch {
    return new TextDecoder();
  }
}

function parseOrKeep(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/**
 * Reads the bytes of a body. Beyond 256 KiB it waits for memory before it reads more; meanwhile the
 * rest of the answer stays at the server.
 */
export async function readBytes(response: Response, budget?: AnswerBudget): Promise<Uint8Array> {
  // It is that of the body itself: the guarded fetch removes it from what it decompresses.
  const length = response.headers.get("content-length");
  if (length !== null && Number(length) <= loopBytesMax) return await response.bytes();
  const collector = createByteCollector();
  let bytes = 0;
  let held = 0;
  for await (const chunk of response.body ?? []) {
    collector.add(chunk);
    bytes += chunk.byteLength;
    if (bytes <= loopBytesMax || bytes <= held) continue;
    const wanted = bytes + loopBytesMax - held;
    held += wanted;
    await budget?.take(wanted);
  }
  return collector.take();
}
