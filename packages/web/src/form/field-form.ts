import { toFieldLabel } from "@hub/contract/field-label.ts";
import type { RowSetting, RowSettings } from "@hub/contract/row-settings.ts";
import { parseExactJson } from "../api/exact-json.ts";

/** A field as the API describes it: a setting of a row, or an input of an operation. */
export type FormField = RowSetting;
export type FormGroup = RowSettings["groups"][number];

/** What was typed, by key. A field that is not in it was not touched. */
export type Draft = Readonly<Record<string, string>>;

export function listFields(groups: readonly FormGroup[]): FormField[] {
  return groups.flatMap(({ fields }) => fields);
}

/** The text that a field shows: what was typed, or the stored value or default. */
export function findText(field: FormField, draft: Draft): string {
  return findTyped(draft, field.key) ?? field.value ?? "";
}

/** What was typed into a field; undefined if it was not touched. */
export function findTyped(draft: Draft, key: string): string | undefined {
  return Object.hasOwn(draft, key) ? draft[key] : undefined;
}

/**
 * Whether a field is shown while the others have these values.
 * @internal
 */
export function isShown(field: FormField, fields: readonly FormField[], draft: Draft): boolean {
  const condition = field.visible_when;
  if (condition === null) return true;
  const other = fields.find(({ key }) => key === condition.field);
  // A condition on a field that is not on the page never hides a field.
  if (other === undefined) return true;
  // An unset toggle shows as off.
  const text = findText(other, draft) || (other.base === "boolean" ? "false" : "");
  return condition.values.includes(text);
}

/** The cards with only the shown fields. A card without one is left out. */
export function toShownGroups(groups: readonly FormGroup[], draft: Draft): FormGroup[] {
  const all = listFields(groups);
  return groups
    .map((group) => ({
      ...group,
      fields: group.fields.filter((field) => isShown(field, all, draft)),
    }))
    .filter(({ fields }) => fields.length > 0);
}

/** Records what was typed. A value as it is stored is no change; a secret is never known. */
export function type(draft: Draft, field: FormField, text: string): Draft {
  const { [field.key]: _, ...others } = draft;
  if (!field.secret && field.is_set && text === (field.value ?? "")) return others;
  if (!field.is_set && text === "" && (field.value ?? "") === "") return others;
  return { ...others, [field.key]: text };
}

/** Without what was typed into a field. */
export function untype(draft: Draft, key: string): Draft {
  const { [key]: _, ...others } = draft;
  return others;
}

/** A change of a row that someone else made while the form was open. */
export type OtherChange = {
  key: string;
  label: string;
  /** Null for a secret, whose value is unknown. */
  from: string | null;
  to: string | null;
  /** Whether this page has another value typed for it. */
  isTyped: boolean;
};

/** What differs between two readings of the same settings, and from what was typed. */
export function findOtherChanges(
  before: readonly FormGroup[],
  after: readonly FormGroup[],
  draft: Draft,
): OtherChange[] {
  const old = new Map(listFields(before).map((field) => [field.key, field]));
  return listFields(after).flatMap((field) => {
    const was = old.get(field.key);
    if (was === undefined) return [];
    if (was.value === field.value && was.is_set === field.is_set) return [];
    const typed = findTyped(draft, field.key);
    // Also the page's own save whose answer did not arrive.
    if (!field.secret && typed === (field.value ?? "")) return [];
    const isTyped = typed !== undefined;
    const { key, secret } = field;
    const from = secret ? null : (was.value ?? "");
    const to = secret ? null : (field.value ?? "");
    return [{ key, label: toFieldLabel(field), from, to, isTyped }];
  });
}

/**
 * The issues of a refused save, one a line, as the labels of the fields say them: "Base URL: Must be a full URL." Null
 * if one of them is of no field.
 */
export function describeIssues(
  groups: readonly FormGroup[],
  issues: Readonly<Record<string, string>>,
): string | null {
  const labels = new Map(listFields(groups).map((field) => [field.key, toFieldLabel(field)]));
  const lines = Object.entries(issues).map(([key, text]) => ({ label: labels.get(key), text }));
  if (lines.length === 0 || lines.some(({ label }) => label === undefined)) return null;
  return lines.map(({ label, text }) => `${label}: ${text}`).join("\n");
}

/** The values to save: what was typed, and toggles that are required and show as off. */
export function toSavedValues(groups: readonly FormGroup[], draft: Draft): Record<string, string> {
  const offs = listFields(groups)
    .filter(({ base, required, is_set, value }) => {
      return base === "boolean" && required && !is_set && (value ?? "") === "";
    })
    .map(({ key }) => [key, "false"] as const);
  return { ...Object.fromEntries(offs), ...draft };
}

/** A value that is not JSON, in a field that takes JSON. */
export type ParamProblem = { key: string; message: string };

/**
 * The params of a call from a form. Fields without a text are left out; JSON is parsed so that large
 * numbers keep their digits; the server converts the other texts.
 */
export function toParams(
  groups: readonly FormGroup[],
  draft: Draft,
): { params: Record<string, unknown>; problems: ParamProblem[] } {
  const params: Record<string, unknown> = {};
  const problems: ParamProblem[] = [];
  for (const field of listFields(groups)) {
    const { key, base, required } = field;
    const typed = findTyped(draft, key);
    const text = typed ?? field.value ?? "";
    if (text === "") {
      if (base === "boolean" && required) params[key] = false;
      // A text that was emptied is given as an empty text, so that no default takes its place.
      else if (typed === "" && base === "text" && field.value !== null) params[key] = "";
      continue;
    }
    if (base === "json" || base === "boolean") {
      try {
        params[key] = parseExactJson(text);
      } catch {
        problems.push({ key, message: "This is not valid JSON." });
      }
    } else {
      params[key] = text;
    }
  }
  return { params, problems };
}

/** The texts of a form from the params of an earlier call. */
export function toDraft(
  groups: readonly FormGroup[],
  params: Readonly<Record<string, unknown>>,
): Draft {
  const entries = listFields(groups).flatMap((field) => {
    const value = Object.hasOwn(params, field.key) ? params[field.key] : undefined;
    if (value === undefined || value === null) return [];
    const isPlain = typeof value === "string" && field.base !== "json";
    const isTable = typeof value === "string" && field.columns.length > 0;
    return [[field.key, isPlain || isTable ? value : JSON.stringify(value, null, 2)]];
  });
  return Object.fromEntries(entries);
}
