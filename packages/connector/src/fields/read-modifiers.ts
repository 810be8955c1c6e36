import { suggest } from "../suggest.ts";
import { compilePattern, patternCharsMax } from "./field-pattern.ts";
import type {
  FieldEmbedding,
  FieldGroup,
  FieldPattern,
  FieldSpec,
  VisibleWhen,
} from "./field-spec.ts";
import type { FailAttribute, TagAttribute } from "./split-tag.ts";
import { isWireKey } from "./wire-key.ts";

/** The result of the modifiers in a tag. */
export type Modifiers = Pick<
  FieldSpec,
  | "description"
  | "default"
  | "required"
  | "locked"
  | "regen"
  | "hidden"
  | "personal"
  | "visibleWhen"
  | "embed"
  | "pattern"
  | "mode"
  | "group"
> & { key?: string };

const flags = ["required", "locked", "regen", "hidden", "personal"] as const;
const texts = [
  "desc",
  "default",
  "key",
  "visible_when",
  "embed",
  "pattern",
  "hint",
  "mode",
  "group",
] as const;

export const embeddings: readonly FieldEmbedding[] = ["percent", "path", "form", "list"];

export const modifierAttributes: readonly string[] = [...flags, ...texts];

/** Parses the modifiers among a tag's attributes. */
export function readModifiers(attributes: readonly TagAttribute[], fail: FailAttribute): Modifiers {
  const given = new Map(attributes.map(({ name, value }) => [name, value]));
  const hasFlag = (name: (typeof flags)[number]) => readFlag(given, name, fail);
  const find = (name: (typeof texts)[number]) => readText(given, name, fail);
  const description = find("desc");
  const seed = find("default");
  const key = find("key");
  const condition = find("visible_when");
  const embed = find("embed");
  const mode = find("mode");
  const group = find("group");
  const pattern = readPattern(find("pattern"), find("hint"), fail);
  return {
    required: hasFlag("required"),
    locked: hasFlag("locked"),
    regen: hasFlag("regen"),
    hidden: hasFlag("hidden"),
    ...(hasFlag("personal") && { personal: true as const }),
    ...(description !== undefined && { description }),
    ...(seed !== undefined && { default: seed }),
    ...(key !== undefined && { key: readKey(key, fail) }),
    ...(condition !== undefined && { visibleWhen: readCondition(condition, fail) }),
    ...(embed !== undefined && { embed: readEmbedding(embed, fail) }),
    ...(pattern !== undefined && { pattern }),
    ...(mode !== undefined && { mode: readMode(mode, fail) }),
    ...(group !== undefined && { group: readGroup(group, fail) }),
  };
}

type ModifierTexts = ReadonlyMap<string, string | null>;

function readFlag(given: ModifierTexts, name: string, fail: FailAttribute): boolean {
  const value = given.get(name);
  if (value === undefined) return false;
  return value === null || fail(name, `takes no value; write just "${name}"`);
}

function readText(given: ModifierTexts, name: string, fail: FailAttribute): string | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  return value ? value : fail(name, `needs a value, such as "${name}=…"`);
}

function readKey(key: string, fail: FailAttribute): string {
  return isWireKey(key)
    ? key
    : fail("key", `"${key}" is not a valid key: use a-z, 0-9 and _, at most 64`);
}

function readCondition(text: string, fail: FailAttribute): VisibleWhen {
  const colon = text.indexOf(":");
  const values = text.slice(colon + 1).split("|");
  if (colon < 1 || values.includes("")) {
    fail("visible_when", 'must be like "field:value" or "field:a|b"');
  }
  return { field: text.slice(0, colon), values };
}

function readPattern(
  pattern: string | undefined,
  hint: string | undefined,
  fail: FailAttribute,
): FieldPattern | undefined {
  if (pattern === undefined && hint === undefined) return undefined;
  if (pattern === undefined) return fail("hint", 'needs a "pattern=" beside it');
  if (hint === undefined) return fail("pattern", 'needs a "hint=" that says what to write instead');
  if (compilePattern(pattern) === null) {
    return fail("pattern", `must be a regular expression of at most ${patternCharsMax} characters`);
  }
  return { pattern, hint };
}

function readMode(mode: string, fail: FailAttribute): "fixed" | "expression" {
  if (mode === "fixed" || mode === "expression") return mode;
  return fail("mode", `must be fixed or expression.${suggest(mode, ["fixed", "expression"])}`);
}

function readEmbedding(text: string, fail: FailAttribute): FieldEmbedding {
  const known = embeddings.find((embedding) => embedding === text);
  return (
    known ?? fail("embed", `must be one of ${embeddings.join(", ")}.${suggest(text, embeddings)}`)
  );
}

function readGroup(text: string, fail: FailAttribute): FieldGroup {
  const [title = "", description = "", collapsed, ...more] = text.split("|");
  if (title === "" || more.length > 0) {
    fail("group", 'must be like "Title", "Title|Description" or "Title|Description|collapsed"');
  }
  if (collapsed !== undefined && collapsed !== "collapsed") {
    fail("group", `can have only "collapsed" as its third part, not "${collapsed}"`);
  }
  return {
    title,
    ...(description !== "" && { description }),
    collapsed: collapsed !== undefined,
  };
}
