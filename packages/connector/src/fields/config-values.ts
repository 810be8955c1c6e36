import type { FieldSpec, Issue, ValuesByKey } from "./field-spec.ts";

/** A value as the store keeps it ("" when it is not set), or what is wrong with it. */
export type StoredText = { text: string } | { issue: Issue };

export function readConfig(
  _fields: readonly FieldSpec[],
  _stored: Readonly<Record<string, string>>,
): ValuesByKey {
  throw new Error("Not written yet.");
}

export function checkConfig(
  _fields: readonly FieldSpec[],
  _stored: Readonly<Record<string, string>>,
): Issue[] {
  throw new Error("Not written yet.");
}

export function toStoredText(_field: FieldSpec, _value: unknown): StoredText {
  throw new Error("Not written yet.");
}
