import { expect, test } from "bun:test";
import { toFieldLabel } from "@hub/contract/field-label.ts";
import {
  describeIssues,
  type FormField,
  type FormGroup,
  findOtherChanges,
  isShown,
  toDraft,
  toParams,
  toSavedValues,
  toShownGroups,
  type,
} from "./field-form.ts";

function makeField(given: Partial<FormField> & { key: string }): FormField {
  return {
    name: given.key,
    widget: "text",
    base: "text",
    value: null,
    is_set: false,
    description: "",
    options: [],
    columns: [],
    source: null,
    html_op: null,
    required: false,
    secret: false,
    locked: false,
    regen: false,
    mode: null,
    visible_when: null,
    ...given,
  };
}

const group = (...fields: FormField[]): FormGroup => ({
  title: "Configuration",
  description: "",
  collapsed: false,
  fields,
});

test("A field shows while the other field has one of the values, as typed or as stored", () => {
  const mode = makeField({ key: "mode", value: "plain" });
  const name = makeField({ key: "name", visible_when: { field: "mode", values: ["a", "b"] } });
  const fields = [mode, name];
  expect(isShown(name, fields, {})).toBe(false);
  expect(isShown(name, fields, { mode: "b" })).toBe(true);
  expect(isShown(name, [{ ...mode, value: "a" }, name], {})).toBe(true);
});

test("An unset toggle counts as off, and a condition on a field that is not there never hides", () => {
  const toggle = makeField({ key: "on", base: "boolean" });
  const off = makeField({ key: "x", visible_when: { field: "on", values: ["false"] } });
  expect(isShown(off, [toggle, off], {})).toBe(true);
  expect(isShown(off, [toggle, off], { on: "true" })).toBe(false);
  expect(isShown(off, [off], {})).toBe(true);
});

test("A card without a shown field is left out", () => {
  const mode = makeField({ key: "mode", value: "plain" });
  const name = makeField({ key: "name", visible_when: { field: "mode", values: ["a"] } });
  const groups = [group(mode), { ...group(name), title: "Names" }];
  expect(toShownGroups(groups, {}).map(({ title }) => title)).toEqual(["Configuration"]);
  expect(toShownGroups(groups, { mode: "a" })).toHaveLength(2);
});

test("A value that was typed back to what is stored is no change; a secret always is one", () => {
  const note = makeField({ key: "note", value: "a", is_set: true });
  expect(type({ note: "b" }, note, "a")).toEqual({});
  expect(type({}, note, "")).toEqual({ note: "" });
  const token = makeField({ key: "token", secret: true, is_set: true });
  expect(type({}, token, "")).toEqual({ token: "" });
});

test("Labels are words, and acronyms stay", () => {
  const names = [
    "BaseURL",
    "APIBaseURL",
    "OrgID",
    "UserIDs",
    "MaxRetries",
    "input_days",
    "S3Bucket",
  ];
  expect(names.map((name) => toFieldLabel({ name }))).toEqual([
    "Base URL",
    "API base URL",
    "Org ID",
    "User IDs",
    "Max retries",
    "Input days",
    "S3 bucket",
  ]);
});

test("Changes of others are listed, with what was typed here; a secret's values are not", () => {
  const before = group(
    makeField({ key: "a", value: "1", is_set: true }),
    makeField({ key: "b", value: "2", is_set: true }),
    makeField({ key: "s", secret: true }),
  );
  const after = group(
    makeField({ key: "a", value: "3", is_set: true }),
    makeField({ key: "b", value: "2", is_set: true }),
    makeField({ key: "s", secret: true, is_set: true }),
  );
  expect(findOtherChanges([before], [after], { a: "mine" })).toEqual([
    { key: "a", label: "A", from: "1", to: "3", isTyped: true },
    { key: "s", label: "S", from: null, to: null, isTyped: false },
  ]);
});

test("The issues of a refused save have the labels of their fields, unless one is of no field", () => {
  const groups = [
    group(makeField({ key: "base_url", name: "BaseURL" }), makeField({ key: "note" })),
  ];
  expect(describeIssues(groups, { base_url: "Is no URL.", note: "Is too long." })).toBe(
    "Base URL: Is no URL.\nNote: Is too long.",
  );
  expect(describeIssues(groups, { base_url: "Is no URL.", slug: "Is taken." })).toBeNull();
  expect(describeIssues(groups, {})).toBeNull();
});

test("A value that is stored as it was typed here is no change of others", () => {
  const note = makeField({ key: "a", value: "1", is_set: true });
  const after = [group({ ...note, value: "2" })];
  expect(findOtherChanges([group(note)], after, { a: "2" })).toEqual([]);
  expect(findOtherChanges([group(note)], after, { a: "3" })).toHaveLength(1);
});

test("A required toggle that shows as off is saved as off", () => {
  const groups = [group(makeField({ key: "on", base: "boolean", required: true }))];
  expect(toSavedValues(groups, { a: "b" })).toEqual({ on: "false", a: "b" });
  expect(toSavedValues(groups, { on: "true" })).toEqual({ on: "true" });
});

test("Params have what was filled in; untouched toggles are left out, JSON keeps its digits", () => {
  const groups = [
    group(
      makeField({ key: "text", value: "seed" }),
      makeField({ key: "empty" }),
      makeField({ key: "loud", base: "boolean" }),
      makeField({ key: "must", base: "boolean", required: true }),
      makeField({ key: "extra", base: "json" }),
      makeField({ key: "count", base: "integer" }),
    ),
  ];
  const { params, problems } = toParams(groups, {
    extra: '{"id":12345678901234567890}',
    count: "7",
  });
  expect(JSON.stringify(params)).toBe(
    '{"text":"seed","must":false,"extra":{"id":12345678901234567890},"count":"7"}',
  );
  expect(problems).toEqual([]);
  expect(toParams(groups, { text: "", loud: "true" }).params).toMatchObject({
    text: "",
    loud: true,
  });
  expect(toParams(groups, { extra: "{" }).problems).toEqual([
    { key: "extra", message: "This is not valid JSON." },
  ]);
});

test("An earlier call's params are texts of the form, and give the same params again", () => {
  const groups = [
    group(
      makeField({ key: "text" }),
      makeField({ key: "extra", base: "json" }),
      makeField({ key: "rows", base: "json", columns: ["a", "b"] }),
      makeField({ key: "loud", base: "boolean" }),
    ),
  ];
  const params = { text: "hi", extra: { a: [1] }, rows: [{ a: "1", b: "2" }], loud: false };
  expect(toParams(groups, toDraft(groups, params)).params).toEqual(params);
});

test("A table that an earlier call has as text is a table again, and other JSON texts stay texts", () => {
  const groups = [
    group(
      makeField({ key: "rows", base: "json", columns: ["a"] }),
      makeField({ key: "extra", base: "json" }),
    ),
  ];
  const draft = toDraft(groups, { rows: '[{"a":"1"}]', extra: "1" });
  expect(draft).toEqual({ rows: '[{"a":"1"}]', extra: '"1"' });
  expect(toParams(groups, draft).params).toEqual({ rows: [{ a: "1" }], extra: "1" });
});
