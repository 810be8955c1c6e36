import type { FieldRecord } from "../field-tags.ts";
import { suggest } from "../suggest.ts";
import type { FieldSpec, VisibleWhen } from "./field-spec.ts";
import { parseField, toCanonical } from "./parse-field.ts";
import type { FailAttribute } from "./split-tag.ts";

/**
 * Parses a record of tagged fields, in its order. Throws an Error that names the field and the
 * attribute. Its message begins with `errorPrefix`, such as `Connector "logs"`. Members without a tag are
 * ignored.
 */
export function parseFields(errorPrefix: string, record: FieldRecord): FieldSpec[] {
  const fields = Object.entries(record).flatMap(([name, field]) => {
    if (isTagged(field)) return [parseField(`${errorPrefix}, field ${name}`, name, field)];
    warnInDevelopment(
      `${errorPrefix}, field ${name} has no tag and is left out. Give it one by wick(…).`,
    );
    return [];
  });
  checkKeys(errorPrefix, fields);
  checkGroups(errorPrefix, fields);
  return fields.map((field) => resolveCondition(errorPrefix, fields, field));
}

/** Connectors in plain JavaScript can contain any value. */
function isTagged(field: unknown): boolean {
  return typeof field === "object" && field !== null && "base" in field && "tag" in field;
}

function warnInDevelopment(message: string): void {
  if (process.env.NODE_ENV !== "production") console.warn(message);
}

function checkKeys(errorPrefix: string, fields: readonly FieldSpec[]): void {
  const names = new Map<string, string>();
  for (const { key, name } of fields) {
    const other = names.get(key);
    if (other !== undefined) {
      throw new Error(
        `${errorPrefix}, field ${name}: has the key "${key}", as ${other} has; give one of them "key=…"`,
      );
    }
    names.set(key, name);
  }
}

function checkGroups(errorPrefix: string, fields: readonly FieldSpec[]): void {
  const descriptions = new Map<string, string>();
  for (const { name, group } of fields) {
    if (group?.description === undefined) continue;
    const other = descriptions.get(group.title);
    if (other !== undefined && other !== group.description) {
      toFail(errorPrefix, name)(
        "group",
        `gives "${group.title}" a second description; one is enough`,
      );
    }
    descriptions.set(group.title, group.description);
  }
}

/**
 * Converts the name in a `visible_when` to a key, and its values to the text of that field's
 * values.
 */
function resolveCondition(
  errorPrefix: string,
  fields: readonly FieldSpec[],
  field: FieldSpec,
): FieldSpec {
  if (field.visibleWhen === undefined) return field;
  const fail = toFail(errorPrefix, field.name);
  const other = findField(fields, field.visibleWhen, fail);
  if (other.key === field.key) fail("visible_when", "names its own field");
  if (other.secret || other.base === "json") {
    fail("visible_when", `cannot depend on the value of ${other.name}, a ${other.widget} field`);
  }
  const values = field.visibleWhen.values.map((value) =>
    toCanonical(other, "visible_when", value, fail),
  );
  return { ...field, visibleWhen: { field: other.key, values } };
}

function findField(
  fields: readonly FieldSpec[],
  { field: wanted }: VisibleWhen,
  fail: FailAttribute,
): FieldSpec {
  const found = fields.find(({ key, name }) => key === wanted || name === wanted);
  const keys = fields.map(({ key }) => key);
  return found ?? fail("visible_when", `names no field "${wanted}".${suggest(wanted, keys)}`);
}

function toFail(errorPrefix: string, name: string): FailAttribute {
  return (attribute, problem) => {
    throw new Error(`${errorPrefix}, field ${name}: attribute "${attribute}" ${problem}`);
  };
}
