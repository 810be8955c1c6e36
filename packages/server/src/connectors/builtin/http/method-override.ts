import { isUtf8 } from "node:buffer";
import { findJsonExcess } from "../../../lib/scan-json.ts";
import { refuseParam } from "./refuse.ts";
import type { RequestBody } from "./request-body.ts";

/** The parameter from which Rails, Laravel, Symfony, WordPress and others read another method. */
const name = "_method";

/**
 * Refuses a parameter with which a POST could act as a DELETE, even if an admin has enabled only POST. It is read from the query, a
 * form and an object of JSON.
 */
export function refuseMethodOverride(method: string, url: URL, body: RequestBody | null): void {
  if (listFormMethods(url.search).some((value) => isOther(method, value))) refuse("query");
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
  const type = contentType.trim().toLowerCase();
  if (type.startsWith("application/x-www-form-urlencoded")) return listFormMethods(text);
  if (type.startsWith("multipart/form-data")) return partName.test(text) ? [null] : [];
  return listJsonMethods(text);
}

const jsonLimits = { depthMax: 256, valuesMax: 100_000 };

function listJsonMethods(text: string): unknown[] {
  // Escapes can spell the name, so an object with one is parsed.
  if (!/^\s*\{/.test(text) || !/_method|\\u00/i.test(text)) return [];
  // Parsing deep brackets takes seconds, and what is not parsed may have the name.
  if (findJsonExcess(text, jsonLimits) !== null) return [null];
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, name) ? [Reflect.get(value, name)] : [];
  } catch {
    // No JSON: nothing reads parameters from it.
    return [];
  }
}

/**
 * The name in a form, each letter as it is or escaped, as PHP and Ruby's Rack read it: PHP drops blanks before a name and
 * what follows a zero byte, and reads a dot and an open bracket as an underscore. Rack ends a field at a semicolon, too.
 * More blanks than are read here hide a name.
 */
const fieldName =
  /(?:^\??|[&;])(?:(?:[ +]|%20){65}|(?:[ +]|%20){0,64}(?:[_.[]|%5[fFbB]|%2[eE])(?:m|%6[dD])(?:e|%65)(?:t|%74)(?:h|%68)(?:o|%6[fF])(?:d|%64)(?:%00|\0|(?=[=&;]|$)))/g;
/** The same in the head of a part. */
const partName = /name ?= ?["']? {0,64}[_.[]method(?:\0|["'\s;])/i;

const valueCharsMax = 100;
/** More fields of the name are none of a method. */
const fieldsMax = 100;

/** The values of the fields with the name. A form of megabytes may have millions of others, so those are not read. */
function listFormMethods(text: string): unknown[] {
  const values: unknown[] = [];
  for (const { index, 0: found } of text.matchAll(fieldName)) {
    const rest = text.slice(index + found.length, index + found.length + 1 + valueCharsMax);
    const [value] = /^[^&;]*/.exec(rest.slice(1)) ?? [""];
    values.push(rest.startsWith("=") ? new URLSearchParams(`v=${value}`).get("v") : "");
    if (values.length > fieldsMax) return [null];
  }
  return values;
}

/** Other bytes are read as Latin-1: the name of the parameter has letters of ASCII only. */
function readText(bytes: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    isUtf8(bytes) ? "utf8" : "latin1",
  );
}
