import { type Json, parseJson } from "@hub/connector";

/**
 * The payload of a webhook with its body, which was stored as it was sent. `raw` and `body` are made
 * when a template reads them. The content type alone decides the form of `body`.
 */
export function openWebhookPayload(payload: Record<string, Json>, raw: Uint8Array): Json {
  const known = { ...payload };
  const type = findContentType(payload);
  defineLazily(known, "raw", () => new TextDecoder().decode(raw));
  if (isJsonType(type) && raw.byteLength > 0) {
    defineLazily(known, "body", () => parseJson(new TextDecoder().decode(raw)));
  } else if (type === formType) {
    defineLazily(known, "body", () => flatten(new URLSearchParams(new TextDecoder().decode(raw))));
  }
  return known;
}

export const formType = "application/x-www-form-urlencoded";

/** A content type without its parameters, in lower case. */
export function toMediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

export function isJsonType(type: string): boolean {
  return type === "application/json" || /^application\/[\w.-]+\+json$/.test(type);
}

/** The first value of each name, without names of prototypes. */
export function flatten(entries: Iterable<[string, string]>): Record<string, string> {
  const flat = new Map<string, string>();
  for (const [name, value] of entries) if (!flat.has(name)) flat.set(name, value);
  return Object.fromEntries(flat);
}

function findContentType({ headers }: Record<string, Json>): string {
  const value = Object(headers)["content-type"];
  return typeof value === "string" ? toMediaType(value) : "";
}

function defineLazily(target: object, name: string, make: () => Json): void {
  let made: { value: Json } | null = null;
  Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      made ??= { value: make() };
      return made.value;
    },
  });
}
