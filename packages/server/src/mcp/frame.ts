import { findNumberText, isJsonObject, type Json, parseJson } from "@hub/connector";
import { HubError } from "../errors.ts";
import { findMessageExcess, nestingMax, valuesMax } from "../lib/check-nesting.ts";

/** A request's id as JSON text: what replies carry, digit by digit. */
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
/** The hub asks its clients nothing, so a response of theirs answers nothing. */
export type ResponseFrame = { kind: "response" };
/** What is no message of JSON-RPC; `id` where the text still showed one, else `null`. */
export type RefusedFrame = { kind: "refused"; id: IdText; error: HubError };
export type Frame = RequestFrame | NotificationFrame | ResponseFrame | RefusedFrame;

/** Params by name. A frame whose params are anything else has `null`, which no method takes. */
export type Params = { readonly [name: string]: Json };

/** Ids and tokens are kept and sent back, so a client must not choose how long they are. */
const idCharsMax = 256;

/** Of a longer one that nests too deeply the id is not looked for: millions of brackets take seconds. */
const deepCharsMax = 64 * 1024;

/** Reads one JSON-RPC message. Never throws: what cannot be read is a frame too. */
export function readFrame(text: string): Frame {
  const fault = findMessageExcess(text);
  if (fault === "values") {
    const message = `A message holds at most ${valuesMax} values.`;
    return refuse(null, "invalid_request", message);
  }
  const isShallow = fault === null;
  if (!isShallow && text.length > deepCharsMax) {
    const message = `The message nests deeper than ${nestingMax} levels.`;
    return refuse(null, "invalid_request", message);
  }
  let value: Json;
  try {
    // parseJson walks what it read; JSON.parse alone does not, so depth cannot hurt it.
    value = isShallow ? parseJson(text) : JSON.parse(text);
  } catch {
    return refuse(null, "parse_error", "The message is not valid JSON.");
  }
  if (Array.isArray(value)) {
    return refuse(
      null,
      "invalid_request",
      "Batches are not supported: send one message at a time.",
    );
  }
  if (!isJsonObject(value)) {
    return refuse(null, "invalid_request", "A JSON-RPC message is an object.");
  }
  if (!isShallow) {
    const { id } = value;
    // JSON.parse may have read another number than was written, or none that JSON has.
    const isSure = typeof id !== "number" || Number.isSafeInteger(id);
    const message = `The message nests deeper than ${nestingMax} levels.`;
    return refuse(isSure ? id : null, "invalid_request", message);
  }
  return readMessage(value, text.length);
}

/** What stands for bytes that are no text. */
export const notUtf8: RefusedFrame = refuse(null, "parse_error", "The message is not valid UTF-8.");

/** A string or a number as JSON text; null for anything else, and for what is too long for an id. */
export function toIdText(value: unknown): IdText | null {
  if (typeof value === "string") return value.length > idCharsMax ? null : JSON.stringify(value);
  const digits = findNumberText(value);
  return digits === null || digits.length > idCharsMax ? null : digits;
}

/** What an id may be, for the sentence that refuses another one. */
export const idForm = `a number or a string, of at most ${idCharsMax} characters`;

function readMessage(value: Params, chars: number): Frame {
  const { jsonrpc, id, method } = value;
  if (jsonrpc !== "2.0") {
    return refuse(id, "invalid_request", 'A message says "jsonrpc": "2.0".');
  }
  if (method === undefined && ("result" in value || "error" in value)) return { kind: "response" };
  if (typeof method !== "string") {
    return refuse(id, "invalid_request", 'A message has a "method", which is a string.');
  }
  const { params: given = {} } = value;
  const params = isJsonObject(given) ? given : null;
  if (id === undefined) return { kind: "notification", method, params };
  const idText = toIdText(id);
  if (idText === null) {
    return refuse(null, "invalid_request", `The "id" of a request is ${idForm}.`);
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
