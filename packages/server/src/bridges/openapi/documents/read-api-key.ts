import { isJsonObject } from "@hub/connector";
import type { Binding } from "../binding.ts";
import { LeftOut } from "./left-out.ts";
import type { References } from "./references.ts";

type Part = Record<string, unknown>;

type ApiKeyLocation = NonNullable<Binding["apiKey"]>;

/** Where an operation expects an API key, by the first of its security requirements that has one. */
export function findApiKey(
  references: References,
  document: Part,
  operation: Part,
): ApiKeyLocation | null {
  const components = isJsonObject(document.components) ? document.components : {};
  const schemes = isJsonObject(components.securitySchemes) ? components.securitySchemes : {};
  const required = operation.security ?? document.security;
  const named = Array.isArray(required)
    ? required.flatMap((one) => (isJsonObject(one) ? Object.keys(one) : []))
    : [];
  // A document that requires nothing still says where its API key belongs.
  for (const name of named.length > 0 ? named : Object.keys(schemes)) {
    if (!Object.hasOwn(schemes, name)) continue;
    const found = toApiKey(references, schemes[name]);
    if (found !== null) return found;
  }
  return null;
}

function toApiKey(references: References, given: unknown): ApiKeyLocation | null {
  try {
    const scheme = references.resolve(given);
    const { type, name } = scheme;
    if (type !== "apiKey" || typeof name !== "string" || name === "") return null;
    return scheme.in === "header" || scheme.in === "query" || scheme.in === "cookie"
      ? { in: scheme.in, name }
      : null;
  } catch (thrown) {
    if (thrown instanceof LeftOut) return null;
    throw thrown;
  }
}
