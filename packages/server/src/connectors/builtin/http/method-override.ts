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

function listBodyMethods({ text, contentType }: RequestBody): unknown[] {
  // Escapes can spell the name, so a body with one is parsed.
  if (!/_method|%5f|%6d|\\u00/i.test(text)) return [];
  const type = contentType.trim().toLowerCase();
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return new URLSearchParams(text).getAll(name);
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
