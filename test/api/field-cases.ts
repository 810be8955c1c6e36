import { defineConnector, type Field, wick } from "@hub/connector";
import fc from "fast-check";

/** A value as JSON text: as it is sent, and as the operation gets it. Numbers are compared by digits. */
export type FieldValue = { sent: string; got: string };

/** One field of a connector, and two values for it. */
export type FieldCase = {
  name: string;
  key: string;
  field: Field;
  secret: boolean;
  required: boolean;
  hidden: boolean;
  hasDefault: boolean;
  /** The index of an earlier dropdown field, and its option that makes this field visible. */
  shownBy: { index: number; option: string } | null;
  /** Null leaves the field unset. */
  first: FieldValue | null;
  second: FieldValue | null;
};

/** Text in every script, and text that breaks careless code. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    "null",
    "[]",
    "{}",
    "__proto__",
    "0",
    "true",
    " ",
    "\u0000\u001f\n\t",
    "a;b|c\\d",
  ),
  fc.constantFrom("'); drop table row_values; --", "<script>", "%00", "\ud83d\ude00", "\u202eabc"),
  fc.integer({ min: 1000, max: 20_000 }).map((length) => "ä".repeat(length)),
);
const same = (value: unknown): FieldValue => {
  const json = JSON.stringify(value);
  return { sent: json, got: json };
};
const digits = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.constantFrom(0n, 9007199254740991n, 9007199254740993n, -9007199254740993n),
);
/** The prefix of every test secret, for searches in answers. */
export const secretMark = "Xq7-plain-secret-";

const options = ["red", "grün", "a;b", "back\\slash", "two words"];
const escapeForTag = (value: string) => value.replace(/[\\;]/g, "\\$&");

type Kind = { base: "text" | "int" | "float" | "bool" | "json"; widget: string };
const kinds: Record<string, Kind & { value: fc.Arbitrary<FieldValue>; seed?: string }> = {
  text: { base: "text", widget: "", value: text.map(same), seed: "a\\;b" },
  textNumber: {
    base: "text",
    widget: "",
    value: digits.map((number) => ({ sent: `${number}`, got: `"${number}"` })),
  },
  textarea: { base: "text", widget: "textarea", value: text.map(same) },
  dropdown: {
    base: "text",
    widget: `dropdown=${options.map(escapeForTag).join("|")}`,
    value: fc.constantFrom(...options).map(same),
    seed: "grün",
  },
  dropdownInt: {
    base: "int",
    widget: "dropdown=1|20|9007199254740993",
    value: fc
      .constantFrom("1", "20", "9007199254740993")
      .map((number) => ({ sent: `"${number}"`, got: number })),
    seed: "20",
  },
  checkbox: { base: "text", widget: "checkbox", value: fc.boolean().map(same), seed: "true" },
  bool: { base: "bool", widget: "", value: fc.boolean().map(same) },
  boolText: {
    base: "text",
    widget: "boolean",
    value: fc.boolean().map((value) => ({ sent: `"${value}"`, got: `${value}` })),
  },
  int: { base: "int", widget: "", value: digits.map((n) => ({ sent: `${n}`, got: `${n}` })) },
  intText: {
    base: "int",
    widget: "number",
    value: digits.map((n) => ({ sent: `"${n}"`, got: `${n}` })),
    seed: "-3",
  },
  float: {
    base: "float",
    widget: "",
    value: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((number) => same(number === 0 ? 0 : number)),
    seed: "1.5",
  },
  secret: {
    base: "text",
    widget: "secret",
    value: text.map((rest) => same(`${secretMark}${rest}`)),
  },
  email: { base: "text", widget: "email", value: fc.constantFrom("ü@example.com").map(same) },
  url: {
    base: "text",
    widget: "url",
    value: fc.constantFrom("https://example.com/ä?q=1#x", "http://[::1]:8080").map(same),
  },
  color: { base: "text", widget: "color", value: fc.constantFrom("#1A2b3c").map(same) },
  date: { base: "text", widget: "date", value: fc.constantFrom("2024-02-29").map(same) },
  datetime: {
    base: "text",
    widget: "datetime",
    value: fc.constantFrom("2026-11-20T09:30", "2026-11-20T09:30:15.123").map(same),
  },
  kvlist: {
    base: "text",
    widget: "kvlist=name|the value",
    value: fc
      .array(fc.record({ name: text, "the value": fc.oneof(text, fc.constant("")) }), {
        minLength: 1,
        maxLength: 4,
      })
      .map(same),
  },
  picker: {
    base: "text",
    widget: "picker=people",
    value: fc.array(fc.record({ id: text, name: text }), { minLength: 1, maxLength: 4 }).map(same),
  },
  html: { base: "text", widget: "html=show", value: text.map(same) },
  json: {
    base: "json",
    widget: "",
    value: fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => value !== null && typeof value !== "string")
      .map((value) => same(JSON.parse(JSON.stringify(value)))),
  },
};

const fieldMakers = {
  text: wick,
  int: wick.int,
  float: wick.float,
  bool: wick.bool,
  json: wick.json,
};

const randomField = fc.constantFrom(...Object.keys(kinds)).chain((name) => {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`There is no kind "${name}".`);
  const value = fc.option(kind.value, { freq: 4 });
  return fc.record({
    kind: fc.constant(kind),
    first: value,
    second: value,
    required: fc.boolean(),
    hidden: fc.boolean(),
    hasDefault: fc.boolean(),
    locked: fc.constant(false),
    description: fc.boolean(),
    group: fc.constantFrom("", "Größe", "Karte|Was drin ist", "Mehr||collapsed"),
    mode: fc.constantFrom("", "fixed", "expression"),
    shownBy: fc.option(fc.nat({ max: 7 })),
    option: fc.constantFrom(...options.filter((one) => !one.includes("|"))),
  });
});

/** Fields of random kinds. An earlier dropdown can control whether a field is visible. */
export const fieldCases: fc.Arbitrary<FieldCase[]> = fc
  .array(randomField, { minLength: 1, maxLength: 7 })
  .map((randomFields) => {
    const choices = randomFields.flatMap(({ kind }, index) =>
      kind === kinds.dropdown ? [index] : [],
    );
    return randomFields.map((one, index) => {
      const { kind, required, hidden } = one;
      const before = choices.filter((choice) => choice < index);
      const chosen = one.shownBy === null ? undefined : before[one.shownBy % (before.length || 1)];
      const shownBy = chosen === undefined ? null : { index: chosen, option: one.option };
      const seed = one.hasDefault ? kind.seed : undefined;
      const tag = [
        kind.widget,
        required && "required",
        hidden && "hidden",
        one.description && "desc=Wofür; das".replace(";", "\\;"),
        seed !== undefined && `default=${seed}`,
        one.group !== "" && `group=${one.group}`,
        one.mode !== "" && `mode=${one.mode}`,
        shownBy !== null && `visible_when=f${shownBy.index}:${escapeForTag(shownBy.option)}`,
      ];
      return {
        name: `F${index}`,
        key: `f${index}`,
        field: fieldMakers[kind.base](tag.filter(Boolean).join(";")),
        secret: kind === kinds.secret,
        required,
        hidden,
        hasDefault: seed !== undefined,
        shownBy,
        first: one.first,
        second: one.second,
      };
    });
  });

/** A connector with these fields. Its operation `echo` returns its configuration. */
export function toFieldConnector(key: string, cases: readonly FieldCase[]) {
  return defineConnector({
    key,
    name: key,
    icon: "flask",
    tier: "builtin",
    description: "Returns its configuration.",
    config: Object.fromEntries(cases.map(({ name, field }) => [name, field])),
    lookup: () => [],
    operations: {
      echo: { description: "Returns the configuration.", run: ({ config }) => ({ config }) },
      show: { description: "Shows a widget.", configOnly: true, run: () => ({ html: "<p></p>" }) },
    },
  });
}

/** The keys of the visible required fields that have no value. */
export function findMissingKeys(
  cases: readonly FieldCase[],
  pick: (one: FieldCase) => FieldValue | null,
): string[] {
  const isShown = ({ shownBy }: FieldCase): boolean => {
    if (shownBy === null) return true;
    const choice = cases[shownBy.index];
    if (choice === undefined) throw new Error("shownBy names a missing field.");
    const value = pick(choice);
    const chosen = value === null ? (choice.hasDefault ? "grün" : "") : JSON.parse(value.got);
    return chosen === shownBy.option;
  };
  return cases
    .filter((one) => one.required && !one.hasDefault && pick(one) === null && isShown(one))
    .map(({ key }) => key)
    .toSorted();
}
