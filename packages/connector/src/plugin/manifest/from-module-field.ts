import { compilePattern } from "../../fields/field-pattern.ts";
import type { FieldGroup, FieldSpec, FieldWidget, VisibleWhen } from "../../fields/field-spec.ts";
import { toValueText } from "../../fields/field-value.ts";
import { personalWidgets } from "../../fields/parse-field.ts";
import { embeddings } from "../../fields/read-modifiers.ts";
import { listWidgetBases, widgetNames } from "../../fields/read-widget.ts";
import { parseStored } from "../../fields/stored-value.ts";
import { isWireKey } from "../../fields/wire-key.ts";
import { readFlag, readText } from "./read-member.ts";

type Source = Record<string, unknown>;

/** The parts of the module that a field's widget may need. */
type ModuleContext = {
  /** Whether the fields are the module's configuration. */
  isConfig?: boolean;
  operationKeys: ReadonlySet<string>;
  hasLookup: boolean;
  hasGenerators: boolean;
  /**
   * Whether this is an input of a version-1 plugin. Go writes the zero value of every number and
   * switch into `Value`. As a default, it would replace a missing value. Formats only describe
   * values there.
   */
  isVersion1Input: boolean;
};

export function fromModuleFields(
  errorPrefix: string,
  sources: readonly Source[],
  context: ModuleContext,
): FieldSpec[] {
  const fields = sources.map((source) => fromModuleField(errorPrefix, source, context));
  const keys = new Set<string>();
  for (const { key } of fields) {
    if (keys.has(key)) throw new Error(`${errorPrefix}: the field ${key} is a duplicate`);
    keys.add(key);
  }
  return fields.map((field) => dropIdleCondition(field, keys));
}

/** Type in existing plugins → widget. Other types are texts. */
const widgets: Record<string, FieldWidget> = { text: "text", ...widgetNames };

function fromModuleField(errorPrefix: string, source: Source, context: ModuleContext): FieldSpec {
  const key = readText(source, "Key");
  if (!isWireKey(key)) {
    throw new Error(`${errorPrefix}: the field key "${key}" must be a-z, 0-9 and _, at most 64`);
  }
  const widget = readWidget(source, context);
  const bases = listWidgetBases(widget);
  const description = readText(source, "Description");
  const visibleWhen = readCondition(readText(source, "visible_when"));
  const group = readGroup(readText(source, "group"));
  const mode = readText(source, "mode");
  const embed = embeddings.find((embedding) => embedding === readText(source, "embed"));
  const [pattern, hint] = [readText(source, "pattern"), readText(source, "hint")];
  // A pattern that this hub cannot parse is ignored.
  const isPersonal =
    context.isConfig === true &&
    readFlag(source, "personal") &&
    personalWidgets.has(widget) &&
    !readFlag(source, "hidden") &&
    !readFlag(source, "Locked");
  const isChecked = pattern !== "" && hint !== "" && compilePattern(pattern) !== null;
  const spec: FieldSpec = {
    name: readText(source, "name") || key,
    key,
    base: bases.find((base) => base === readText(source, "base")) ?? bases[0] ?? "text",
    widget,
    ...readOptions(widget, source),
    secret: widget === "secret",
    required: readFlag(source, "Required"),
    locked: readFlag(source, "Locked"),
    regen: readFlag(source, "CanRegenerate") && context.hasGenerators,
    hidden: readFlag(source, "hidden"),
    ...(isPersonal && { personal: true as const }),
    ...(context.isVersion1Input && { lenient: true as const }),
    ...(description !== "" && { description }),
    ...(visibleWhen !== null && { visibleWhen }),
    ...(group !== null && { group }),
    ...(embed !== undefined && { embed }),
    ...(isChecked && { pattern: { pattern, hint } }),
    ...((mode === "fixed" || mode === "expression") && { mode }),
  };
  if (context.isVersion1Input) return spec;
  const seed = toDefault(spec, readText(source, "Value"));
  return seed === null ? spec : { ...spec, default: seed };
}

function readWidget(source: Source, { operationKeys, hasLookup }: ModuleContext): FieldWidget {
  // For every type, because a secret must never be shown.
  if (readFlag(source, "IsSecret")) return "secret";
  const type = readText(source, "Type");
  const widget = (Object.hasOwn(widgets, type) ? widgets[type] : undefined) ?? "text";
  const options = readText(source, "Options");
  if (widget === "dropdown" && options === "") return "text";
  if (widget === "html" && !operationKeys.has(options)) return "text";
  // Without a lookup, users can still type its rows.
  if (widget === "picker" && !hasLookup) return "kvlist";
  return widget;
}

function readOptions(widget: FieldWidget, source: Source): Partial<FieldSpec> {
  const text = readText(source, "Options");
  if (widget === "kvlist" && readText(source, "Type") === "picker") {
    return { columns: ["id", "name"] };
  }
  const parts = [...new Set(text.split("|").filter((part) => part !== "" && part !== "__proto__"))];
  switch (widget) {
    case "dropdown":
      return { options: parts };
    case "kvlist":
      return { columns: parts.length > 0 ? parts : ["value"] };
    case "picker":
      return { columns: ["id", "name"], source: text };
    case "html":
      return { htmlOp: text };
    default:
      return {};
  }
}

/** Ignores a default that does not fit its field. */
function toDefault(field: FieldSpec, text: string): string | null {
  if (text === "") return null;
  const parsed = parseStored(field, text);
  if ("issue" in parsed) return null;
  return field.base === "json" ? text : toValueText(parsed.value);
}

function readCondition(text: string): VisibleWhen | null {
  const colon = text.indexOf(":");
  const values = text.slice(colon + 1).split("|");
  return colon < 1 || values.includes("") ? null : { field: text.slice(0, colon), values };
}

/** A condition on an unknown field would always hide this one. */
function dropIdleCondition(field: FieldSpec, keys: ReadonlySet<string>): FieldSpec {
  if (field.visibleWhen === undefined || keys.has(field.visibleWhen.field)) return field;
  const { visibleWhen: _, ...shown } = field;
  return shown;
}

function readGroup(text: string): FieldGroup | null {
  const [title = "", description = "", collapsed] = text.split("|");
  if (title === "") return null;
  return {
    title,
    ...(description !== "" && { description }),
    collapsed: collapsed === "collapsed",
  };
}
