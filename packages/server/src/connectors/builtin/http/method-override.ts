import { isUtf8 } from "node:buffer";
import { findJsonFault } from "../../../lib/json/find-json-fault.ts";
import { refuseParam } from "./refuse.ts";
import type { RequestBody } from "./request-body.ts";

/** The parameter from which Rails, Laravel, Symfony, WordPress and others read another method. */
const name = "_method";

type Deps = { yieldToEventLoop: () => Promise<void> };

/**
 * Refuses a parameter with which a POST could act as a DELETE, even if an admin has enabled only POST. It is read from the query, a
 * form and an object of JSON, in steps after which the event loop has a turn.
 */
export async function refuseMethodOverride(
  deps: Deps,
  method: string,
  { url, body }: { url: URL; body: RequestBody | null },
): Promise<void> {
  const given = await listFormMethods(deps, url.search);
  if (given.some((value) => isOther(method, value))) refuse("query");
  if (body === null) return;
  const sent = await listBodyMethods(deps, body);
  if (sent.some((value) => isOther(method, value))) refuse("body");
}

function isOther(method: string, value: unknown): boolean {
  return String(value).trim().toUpperCase() !== method;
}

function refuse(param: string): never {
  refuseParam(`${param}.${name}`, "cannot be set; use the operation of that method");
}

async function listBodyMethods(
  deps: Deps,
  { content, contentType }: RequestBody,
): Promise<unknown[]> {
  const text = typeof content === "string" ? content : readText(content);
  const type = contentType.trim().toLowerCase();
  if (type.startsWith("application/x-www-form-urlencoded"))
    return await listFormMethods(deps, text);
  if (type.startsWith("multipart/form-data")) {
    return (await isInSteps(deps, text, partName)) ? [null] : [];
  }
  return await listJsonMethods(deps, text);
}

const jsonLimits = { depthMax: 256, valuesMax: 100_000, longNumberCharsMax: 1024 * 1024 };

async function listJsonMethods(deps: Deps, text: string): Promise<unknown[]> {
  // Escapes can spell the name, so an object with one is parsed.
  if (!/^\s*\{/.test(text) || !(await isInSteps(deps, text, jsonName))) return [];
  const fault = await findJsonFault(deps, text, jsonLimits);
  // No JSON: nothing reads parameters from it.
  if (fault === "syntax") return [];
  // Parsing it takes long, and what is not parsed may have the name.
  if (fault !== null) return [null];
  const value: unknown = JSON.parse(text);
  return Object.hasOwn(Object(value), name) ? [Reflect.get(Object(value), name)] : [];
}

/**
 * The name in a form, each letter as it is or escaped, as PHP and Ruby's Rack read it: PHP drops blanks before a name and
 * what follows a zero byte, and reads a dot and an open bracket as an underscore. Rack ends a field at a semicolon, too.
 * More blanks than are read here hide a name.
 */
const fieldName =
  /[&;](?:(?:[ +]|%20){65}|(?:[ +]|%20){0,64}(?:[_.[]|%5[fFbB]|%2[eE])(?:m|%6[dD])(?:e|%65)(?:t|%74)(?:h|%68)(?:o|%6[fF])(?:d|%64)(?:%00|\0|(?=[=&;]|$)))/g;
/** The same in the head of a part. */
const partName = /name ?= ?["']? {0,64}[_.[]method(?:\0|["'\s;])/i;

const jsonName = /_method|\\u00/i;

const valueCharsMax = 100;
/** More fields of the name are none of a method. */
const fieldsMax = 100;

/** The values of the fields with the name. A form of megabytes may have millions of others, so those are not read. */
async function listFormMethods(deps: Deps, given: string): Promise<unknown[]> {
  const text = given.startsWith("?") ? given.replace("?", "&") : `&${given}`;
  const values: unknown[] = [];
  for await (const { portion, start, end } of toPortions(deps, text)) {
    for (const { index, 0: found } of portion.matchAll(fieldName)) {
      const at = start + index;
      if (at >= end) break;
      const rest = text.slice(at + found.length, at + found.length + 1 + valueCharsMax);
      const [value] = /^[^&;]*/.exec(rest.slice(1)) ?? [""];
      values.push(rest.startsWith("=") ? new URLSearchParams(`v=${value}`).get("v") : "");
      if (values.length > fieldsMax) return [null];
    }
  }
  return values;
}

/** Whether a text has a match of a pattern, which takes up to some 40 ns per character. */
async function isInSteps(deps: Deps, text: string, pattern: RegExp): Promise<boolean> {
  for await (const { portion } of toPortions(deps, text)) if (pattern.test(portion)) return true;
  return false;
}

const stepChars = 512 * 1024;
/** Longer than a match of any pattern here. */
const matchCharsMax = 512;

/** The parts of a text to search, with a turn of the event loop between them. A match that begins before `end` is in `portion`. */
async function* toPortions({ yieldToEventLoop }: Deps, text: string) {
  for (let start = 0; start < text.length; start += stepChars) {
    if (start > 0) await yieldToEventLoop();
    const end = start + stepChars;
    const isAll = start === 0 && text.length <= end;
    yield { portion: isAll ? text : text.slice(start, end + matchCharsMax), start, end };
  }
}

/** Other bytes are read as Latin-1: the name of the parameter has letters of ASCII only. */
function readText(bytes: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    isUtf8(bytes) ? "utf8" : "latin1",
  );
}
