import { isJsonObject } from "../../json.ts";

type Source = Record<string, unknown>;

/**
 * Returns `""` if the member is not a text. Go writes every member; other languages may omit some.
 */
export function readText(source: Source, name: string): string {
  const value = Object.hasOwn(source, name) ? source[name] : undefined;
  return typeof value === "string" ? value : "";
}

export function readFlag(source: Source, name: string): boolean {
  return Object.hasOwn(source, name) && source[name] === true;
}

export function readRecord(source: Source, name: string): Source {
  const value = Object.hasOwn(source, name) ? source[name] : undefined;
  return isJsonObject(value) ? value : {};
}

/** The objects of an array. An empty slice of Go is null. */
export function readList(source: Source, name: string): Source[] {
  const value = Object.hasOwn(source, name) ? source[name] : undefined;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
