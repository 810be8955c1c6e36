import { constructFromEvents, EVENT_ID, type Event, YAMLException } from "js-yaml";
import { checkValues } from "./check-values.ts";
import { countMarks } from "./count-marks.ts";
import { findLine, type ValuePath } from "./find-position.ts";
import { moveBack, parseIndented, type ToColumn } from "./parse-indented.ts";
import { toTooDeep, YamlFault, type YamlLimits } from "./yaml-fault.ts";
import { digitsSchema, roundingSchema } from "./yaml-schema.ts";

export type YamlOptions = YamlLimits & {
  /** As in JSON: the last of several members of the same name counts. Without it, they are a mistake. */
  admitsDuplicates: boolean;
  /** Whether whole numbers beyond 2^53 keep their digits, as raw JSON. */
  keepsDigits: boolean;
};

export type ReadYaml = {
  /** Undefined for an empty text. What aliases repeat is a copy each time. */
  value: unknown;
  /** The line of the value at this path, or of the nearest one around it. */
  findLine(path: ValuePath): number;
};

/**
 * Parses YAML 1.2 or JSON, with the merge keys of YAML 1.1. Attacks: a text of many values, and aliases of
 * aliases, which multiply. So the text's marks are counted before it is parsed, and its values, with those of
 * aliases, before they are made. Throws a YamlFault.
 */
export function readYaml(text: string, options: YamlOptions): ReadYaml {
  const { noun, advice, marksMax } = options;
  if (countMarks(text, marksMax) > marksMax) {
    const count = marksMax.toLocaleString("en");
    throw new YamlFault(
      `The ${noun} has more than ${count} lines, commas, colons, hyphens and brackets. ${advice}`,
    );
  }
  const parsed = parse(text, options);
  return {
    value: parsed.value,
    findLine: (path) => findLine(parsed.text, parsed.events, path),
  };
}

function parse(
  given: string,
  options: YamlOptions,
): { text: string; events: readonly Event[]; value: unknown } {
  try {
    const { text, events, toColumn } = parseIndented(given, options.depthMax);
    checkValues(text, events, options);
    return { text, events, value: makeValue(text, events, options, toColumn) };
  } catch (failure) {
    if (!(failure instanceof YAMLException)) throw failure;
    throw toFault(failure, options);
  }
}

function makeValue(
  text: string,
  events: readonly Event[],
  options: YamlOptions,
  toColumn: ToColumn,
): unknown {
  const { keepsDigits, admitsDuplicates } = options;
  try {
    const documents = constructFromEvents([...events], {
      source: text,
      schema: keepsDigits ? digitsSchema : roundingSchema,
      json: admitsDuplicates,
      // `checkValues` has counted what is merged.
      maxTotalMergeKeys: -1,
    });
    if (documents.length > 1) {
      throw new YamlFault(`The ${options.noun} has several YAML documents. Leave one.`);
    }
    const hasAliases = events.some(({ type }) => type === EVENT_ID.ALIAS);
    return hasAliases ? toPlain(documents[0], options) : documents[0];
  } catch (failure) {
    throw failure instanceof YAMLException ? moveBack(failure, toColumn) : failure;
  }
}

function toFault({ reason, mark }: YAMLException, options: YamlOptions): YamlFault {
  if (reason.startsWith("nesting exceeded")) return toTooDeep(options);
  const at = mark === undefined ? null : { line: mark.line + 1, column: mark.column + 1 };
  return new YamlFault(`the ${options.noun} is not valid YAML or JSON: ${reason}`, at);
}

/** Copies what aliases repeat. Aliases of aliases can be nested deeper than the text. */
function toPlain(value: unknown, limits: YamlLimits, depth = 0): unknown {
  if (depth > limits.depthMax) throw toTooDeep(limits);
  if (Array.isArray(value)) return value.map((item) => toPlain(item, limits, depth + 1));
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, toPlain(one, limits, depth + 1)]),
  );
}
