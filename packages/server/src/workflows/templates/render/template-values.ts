import { findNumberText } from "@hub/connector";

/**
 * A value of a template: JSON, where numbers that JavaScript cannot represent are `JSON.rawJSON`
 * objects; `undefined` for what is missing; or a secret.
 */
export type Value = unknown;

/**
 * A secret of the workflow. It holds the owner's value token, never the secret itself. `token` is
 * null if the secret is not set.
 */
export class SecretValue {
  readonly name: string;
  readonly #token: string | null;

  constructor(name: string, token: string | null) {
    this.name = name;
    this.#token = token;
  }

  get isSet(): boolean {
    return this.#token !== null;
  }

  /** The token, for output only. */
  reveal(): string | null {
    return this.#token;
  }
}

export type ValueKind =
  | "missing"
  | "null"
  | "boolean"
  | "number"
  | "text"
  | "list"
  | "map"
  | "secret";

export function toKind(value: Value): ValueKind {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "text";
  if (findNumberText(value) !== null) return "number";
  if (Array.isArray(value)) return "list";
  return value instanceof SecretValue ? "secret" : "map";
}

/** The value with its kind as messages name it: `a list`, `text`. */
export function nameKind(value: Value): string {
  const names: Record<ValueKind, string> = {
    missing: "a missing value",
    null: "null",
    boolean: "true or false",
    number: "a number",
    text: "text",
    list: "a list",
    map: "an object",
    secret: "a secret",
  };
  return names[toKind(value)];
}

export type MapValue = Readonly<Record<string, Value>>;

export function isMap(value: Value): value is MapValue {
  return toKind(value) === "map";
}

/** An own member of a map. Inherited ones, such as `constructor`, do not exist for templates. */
export function readMember(map: object, key: string): Value {
  // The key is an own one, so this reads no getter of a prototype.
  return Object.hasOwn(map, key) ? (map as MapValue)[key] : undefined;
}

/** Longer integers are compared as JavaScript numbers, because reading them is not linear. */
const exactDigitsMax = 100;

/** The exact value of an integer; null for other values. */
export function toInteger(value: Value): bigint | null {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : null;
  const digits = findNumberText(value);
  if (digits === null || digits.length > exactDigitsMax || !/^-?\d+$/.test(digits)) return null;
  return BigInt(digits);
}

/** The order of two texts by code points, as Go sorts them. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === length) return one.length - other.length;
  return toRank(one.charCodeAt(at)) - toRank(other.charCodeAt(at));
}

/** Halves of surrogate pairs stand for code points above all others. */
function toRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
