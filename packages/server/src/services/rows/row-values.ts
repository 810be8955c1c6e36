import {
  type FieldSpec,
  findMissing,
  type Issue,
  readConfig,
  type StoredText,
  suggest,
  toStoredText,
} from "@hub/connector";
import { toBadRequest } from "../../lib/input/check-input.ts";
import { sealAtRest, sealReference } from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { StoredValue } from "../../store/rows/row-record.ts";
import { findAddressProblem } from "./checks/find-address-problem.ts";

/** Stored text of some fields, by field key; an empty text unsets a field. */
export type FieldTexts = ReadonlyMap<string, string>;

/**
 * Checks values against the connector's fields and converts them to their stored form.
 * Throws `bad_request` with an issue for each invalid value.
 */
export function toFieldTexts(
  fields: readonly FieldSpec[],
  values: Readonly<Record<string, unknown>>,
): FieldTexts {
  const texts = new Map<string, string>();
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(values)) {
    const field = fields.find((candidate) => candidate.key === key);
    const stored = field === undefined ? unknownField(fields, key) : toText(fields, field, value);
    if ("issue" in stored) issues.push(stored.issue);
    else texts.set(key, stored.text);
    // Bounds the reply to a request that is built to be wrong in many places.
    if (issues.length >= issuesMax) break;
  }
  if (issues.length > 0) throw toBadRequest(issues);
  return texts;
}

const issuesMax = 100;

/** Checks new values only. A row with an older bad address fails when it is called. */
function toText(fields: readonly FieldSpec[], field: FieldSpec, value: unknown): StoredText {
  const stored = toStoredText(field, value);
  if ("issue" in stored) return stored;
  const problem = findAddressProblem(fields, field, stored.text);
  return problem === null ? stored : { issue: { path: field.key, message: problem } };
}

function unknownField(fields: readonly FieldSpec[], key: string): { issue: Issue } {
  const keys = fields.map((field) => field.key);
  const help = suggest(key, keys) || ` There are: ${keys.join(", ") || "none"}.`;
  return { issue: { path: key, message: `is not a field of this connector.${help}` } };
}

/** The texts of a new row: the given ones, and the defaults of the other fields. */
export function addDefaults(fields: readonly FieldSpec[], given: FieldTexts): FieldTexts {
  const texts = new Map(given);
  for (const field of fields) {
    if (field.default !== undefined && !texts.get(field.key)) texts.set(field.key, field.default);
  }
  return texts;
}

/**
 * The values to store: secrets sealed for this row and field, all others in plain text. The texts of the fields in
 * `references` are references to secrets outside the hub; only a hub file gives such.
 */
export function toStoredValues(
  ring: KeyRing,
  rowId: string,
  fields: readonly FieldSpec[],
  texts: FieldTexts,
  references: ReadonlySet<string> = new Set(),
): StoredValue[] {
  const secrets = new Set(fields.filter((field) => field.secret).map((field) => field.key));
  return [...texts].map(([key, text]) => {
    if (text === "") return { key, value: null, sealed: null };
    if (!secrets.has(key)) return { key, value: text, sealed: null };
    const location = { table: "row_values", row: rowId, field: key };
    const seal = references.has(key) ? sealReference : sealAtRest;
    return { key, value: null, sealed: seal(ring, location, text) };
  });
}

/** Required fields without a value in these texts. */
export function findMissingTexts(fields: readonly FieldSpec[], texts: FieldTexts): FieldSpec[] {
  return findMissing(fields, readConfig(fields, Object.fromEntries(texts)));
}
