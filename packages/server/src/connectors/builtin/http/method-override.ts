import { isUtf8 } from "node:buffer";
import { refuseParam } from "./refuse.ts";
import type { RequestBody } from "./request-body.ts";

/** The parameter from which Rails, Laravel, Symfony, WordPress and others read another method. */
const name = "_method";

/**
 * Refuses a parameter with which a POST could act as a DELETE, even if an admin has enabled only POST. It is read from the query, a
 * form and an object of JSON.
 */
export function refuseMethodOverride(method: string, url: URL, body: RequestBody | null): void {
  if (url.searchParams.getAll(name).some((value) => isOther(method, value))) refuse("query");
  if (body !== null && listBodyMethods(body).some((value) => isOther(method, value)))
    refuse("body");
}

function isOther(method: string, value: unknown): boolean {
  return String(value).trim().toUpperCase() !== method;
}

function refuse(param: string): never {
  refuseParam(`${param}.${name}`, "cannot be set; use the operation of that method");
}

function listBodyMethods({ content, contentType }: RequestBody): unknown[] {
  const text = typeof content === "string" ? content : readText(content);
  // Escapes can spell the name, so a body with one is parsed.
  if (!/_method|%5f|%6d|\\u00/i.test(text)) return [];
  const type = contentType.trim().toLowerCase();
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return listFormMethods(text);
  }
  if (type.startsWith("multipart/form-data")) {
    return /name="?_method"?[\s;]/i.test(text) ? [null] : [];
  }
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, name) ? [Reflect.get(value, name)] : [];
  } catch {
    // No JSON: nothing reads parameters from it.
    return [];
  }
}

/** Each letter of the name may be percent-encoded. The beginning of a value is enough to see that it is another one. */
const fieldOfName =
  /(?:^\??|&)((?:_|%5f)(?:m|%6d)(?:e|%65)(?:t|%74)(?:h|%68)(?:o|%6f)(?:d|%64)(?=[=&]|$)(?:=[^&]{0,100})?)/gi;

/** A form with more is refused: none has several for another reason than to hide one. */
const fieldsMax = 1_000;

/** Reads only the fields that have the name: a form of megabytes may have millions of others. */
function listFormMethods(text: string): unknown[] {
  const values: unknown[] = [];
  let count = 0;
  for (const [, field = ""] of text.matchAll(fieldOfName)) {
    count += 1;
    if (count > fieldsMax) return [null];
    values.push(...new URLSearchParams(field).getAll(name));
  }
  return values;
}

/** Other bytes are read as Latin-1: the name of the parameter has letters of ASCII only. */
function readText(bytes: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    isUtf8(bytes) ? "utf8" : "latin1",
  );
}
