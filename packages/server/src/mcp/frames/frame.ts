import { findNumberText, isJsonObject, type Json, parseJson } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { findMessageExcess, nestingMax, valuesMax } from "../../lib/json/check-nesting.ts";

/** A request's id as JSON text, so that replies repeat every digit of it. */
export type IdText = string;

export type RequestFrame = {
  kind: "request";
  id: IdText;
  method: string;
  params: Params | null;
  /** Length of the whole message. */
  chars: number;
};
export type NotificationFrame = { kind: "notification"; method: string; params: Params | null };
/** The answer to a request of the hub. `result` is null for an error. `id` is null if it cannot be of one. */
export type ResponseFrame = { kind: "response"; id: IdText | null; result: Json | null };
/** An invalid message. `id` is the request's id if it could be read, else `null`. */
export type RefusedFrame = { kind: "refused"; id: IdText; error: HubError };
export type Frame = RequestFrame | NotificationFrame | ResponseFrame | RefusedFrame;

/** Params by name. A frame with params of another type has `null`, which every method refuses. */
export type Params = { readonly [name: string]: Json };

/** Bounds ids and progress tokens, which the hub keeps in memory and sends back. */
const idCharsMax = 256;

/** A longer message that nests too deeply is not parsed for its id: millions of brackets take seconds. */
const deepCharsMax = 64 * 1024;

/** Parses one JSON-RPC message. Never throws: an invalid message is a frame of kind `refused`. */
export function readFrame(text: string): Frame {
  const fault = findMessageExcess(text);
  if (fault === "values") {
    const message = `A message may have at most ${valuesMax} values.`;
    return refuse(null, "invalid_request", message);
  }
  const isShallow = fault === null;
  if (!isShallow && text.length > deepCharsMax) {
    const message = `The message is nested more than ${nestingMax} levels deep.`;
    return refuse(null, "invalid_request", message);
  }
  let value: Json;
  try {
    // parseJson walks the value recursively; JSON.parse alone is safe at any depth.
    value = isShallow ? parseJson(text) : JSON.parse(text);
  } catch {
    return refuse(null, "parse_error", "The message is not valid JSON.");
  }
  if (Array.isArray(value)) {
    return refuse(
      null,
      "invalid_request",
      "Batches are not supported. Send one message at a time.",
    );
  }
  if (!isJsonObject(value)) {
    return refuse(null, "invalid_request", "A JSON-RPC message must be an object.");
  }
  if (!isShallow) {
    const { id } = value;
    // JSON.parse rounds numbers that are too large or too precise.
    const isSure = typeof id !== "number" || Number.isSafeInteger(id);
    const message = `The message is nested more than ${nestingMax} levels deep.`;
    return refuse(isSure ? id : null, "invalid_request", message);
  }
  return readMessage(value, text.length);
}

/** The frame for bytes that are not valid UTF-8. */
export const notUtf8: RefusedFrame = refuse(null, "parse_error", "The message is not valid UTF-8.");

/** A string or number as JSON text; null for other types and for values that are too long. */
export function toIdText(value: unknown): IdText | null {
  if (typeof value === "string") return value.length > idCharsMax ? null : JSON.stringify(value);
  const digits = findNumberText(value);
  return digits === null || digits.length > idCharsMax ? null : digits;
}

/** The valid form of an id, for error messages. */
export const idForm = `a number or a string, of at most ${idCharsMax} characters`;

function readMessage(value: Params, chars: number): Frame {
  const { jsonrpc, id, method } = value;
  if (jsonrpc !== "2.0") {
    return refuse(id, "invalid_request", 'A message must have the member "jsonrpc": "2.0".');
  }
  if (method === undefined && ("result" in value || "error" in value)) {
    return { kind: "response", id: toIdText(id), result: value.result ?? null };
  }
  if (typeof method !== "string") {
    return refuse(id, "invalid_request", 'A message must have a "method", which is a string.');
  }
  const { params: given = {} } = value;
  const params = isJsonObject(given) ? given : null;
  if (id === undefined) return { kind: "notification", method, params };
  const idText = toIdText(id);
  if (idText === null) {
    return refuse(null, "invalid_request", `The "id" of a request must be ${idForm}.`);
  }
  return { kind: "request", id: idText, method, params, chars };
}

function refuse(
  id: unknown,
  code: "parse_error" | "invalid_request",
  message: string,
): RefusedFrame {
  return { kind: "refused", id: toIdText(id) ?? "null", error: new HubError(code, message) };
}
