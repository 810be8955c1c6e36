import { quote, toScimError } from "./scim-fault.ts";

/** What a text of a user or group may have. Longer ones are refused, not cut: the provider would find another text. */
export const textCharsMax = 256;

/** Null and an empty text are the same: the attribute has no value. */
export function readText(name: string, value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value !== "string") throw toScimError("invalidValue", `${name} must be a text.`);
  if (value.length > textCharsMax) {
    throw toScimError("invalidValue", `${name} must have at most ${textCharsMax} characters.`);
  }
  // PostgreSQL stores no null character, and no database a half of a pair.
  if (value.includes("\0") || !value.isWellFormed()) {
    throw toScimError("invalidValue", `${name} has characters that cannot be stored.`);
  }
  return value;
}

/** Some providers send `"False"`. Any other text is refused: taken for true, it would leave a leaver in. */
export function readBoolean(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  throw toScimError("invalidValue", `${name} must be true or false.`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object by their names in lower case: names of attributes have no case. */
export function readRecord(name: string, value: unknown): Map<string, unknown> {
  if (!isRecord(value)) throw toScimError("invalidValue", `${name} must be an object.`);
  return new Map(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]));
}

/** A list, or its only element. Null is an empty list. */
export function readList(name: string, value: unknown, itemsMax: number): readonly unknown[] {
  if (value === null || value === undefined) return [];
  const items = Array.isArray(value) ? value : [value];
  if (items.length > itemsMax) {
    throw toScimError("tooMany", `${name} must have at most ${itemsMax} elements in one request.`);
  }
  return items;
}

export type PatchOperation = {
  op: "add" | "replace" | "remove";
  path: string | null;
  value: unknown;
};

const operationsMax = 1_000;

/** The operations of a PATCH body. `op` has no case. */
export function readOperations(body: unknown): PatchOperation[] {
  const given = readRecord("The body", body).get("operations");
  if (!Array.isArray(given) || given.length === 0) {
    throw toScimError("invalidSyntax", "The body of a PATCH has a list of Operations.");
  }
  return readList("Operations", given, operationsMax).map((one) => {
    const operation = readRecord("An operation", one);
    const op = String(operation.get("op")).toLowerCase();
    if (op !== "add" && op !== "replace" && op !== "remove") {
      throw toScimError(
        "invalidSyntax",
        `The op ${quote(op)} is not known. Use add, replace or remove.`,
      );
    }
    const path = operation.get("path") ?? null;
    if (path !== null && typeof path !== "string") {
      throw toScimError("invalidPath", "A path must be a text.");
    }
    return { op, path: path === "" ? null : path, value: operation.get("value") };
  });
}
