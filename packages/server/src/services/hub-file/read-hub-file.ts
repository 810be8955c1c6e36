import { suggest } from "@hub/connector";
import { type HubFile, hubFileSchema } from "@hub/contract/hub-file.ts";
import { isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";
import { HubError } from "../../errors.ts";

/** The way to a value in the file, such as `["rows", 2, "label"]`. */
export type Place = ReadonlyArray<string | number>;

export type ReadHubFile = {
  file: HubFile;
  /** An error about a place of the file, with its line. */
  refuse(place: Place, message: string): HubError;
};

const bytesMax = 10 * 1024 * 1024;
const faultsMax = 20;
const depthMax = 256;
/** A file that repeats its anchors could grow beyond any memory. */
const aliasesMax = 100;

/**
 * Reads a hub file in YAML or JSON. Throws `bad_request` with the line of each mistake and what to write
 * there.
 */
export function readHubFile(text: string): ReadHubFile {
  if (Buffer.byteLength(text) > bytesMax) {
    throw new HubError("bad_request", `The file is larger than ${bytesMax / 1024 / 1024} MiB.`);
  }
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  const [syntax] = document.errors;
  const fault = syntax && { at: syntax.pos[0], message: syntax.message };
  const first = fault ?? findRepeatedKey(document);
  if (first !== undefined) {
    const { line } = lines.linePos(first.at);
    throw toRefusal([`Line ${line}: the file is not valid YAML or JSON: ${first.message}`]);
  }
  const findLine = (place: Place): number => {
    for (let length = place.length; length >= 0; length -= 1) {
      const node = document.getIn(place.slice(0, length), true);
      if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const describe = (place: Place, message: string) =>
    `Line ${findLine(place)}${place.length === 0 ? "" : ` (${place.join(".")})`}: ${message}`;
  const parsed = hubFileSchema.safeParse(toPlain(readValue(document)));
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(listFaults);
    // Only of these is the line looked for: a file may have a million mistakes.
    const shown = faults.slice(0, faultsMax).map((fault) => describe(fault.place, fault.toText()));
    throw toRefusal(shown, faults.length);
  }
  return {
    file: parsed.data,
    refuse: (place, message) => toRefusal([describe(place, message)]),
  };
}

function parseYaml(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, {
      lineCounter,
      intAsBigInt: true,
      prettyErrors: false,
      // As JSON has it: "yes" and "012" are texts.
      schema: "core",
      // The parser compares each key with all before it: see `findRepeatedKey`.
      uniqueKeys: false,
    });
  } catch (failure) {
    // The parser calls itself for each level.
    if (failure instanceof RangeError) throw tooDeep();
    throw failure;
  }
}

type SyntaxFault = { at: number; message: string };

/** The first key that its map has already. Throws `bad_request` for a file that is nested too deeply. */
function findRepeatedKey(document: ReturnType<typeof parseDocument>): SyntaxFault | undefined {
  let found: SyntaxFault | undefined;
  try {
    visit(document, {
      Map(_, map) {
        const seen = new Set<string>();
        for (const { key } of map.items) {
          if (!isScalar(key)) continue;
          const name = String(key.value);
          if (seen.has(name)) {
            found = {
              at: key.range?.[0] ?? 0,
              message: `Map keys must be unique: "${name.slice(0, 100)}"`,
            };
            return visit.BREAK;
          }
          seen.add(name);
        }
        return undefined;
      },
    });
  } catch (failure) {
    if (failure instanceof RangeError) throw tooDeep();
    throw failure;
  }
  return found;
}

function readValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: aliasesMax });
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw toRefusal([`The file cannot be read: ${reason}`]);
  }
}

function tooDeep(): HubError {
  return toRefusal([`The file is nested deeper than ${depthMax} levels, or contains itself.`]);
}

/** Whole numbers beyond 2^53 keep their digits. An anchor can contain its own alias. */
function toPlain(value: unknown, depth = 0): unknown {
  if (depth > depthMax) throw tooDeep();
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
  }
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1));
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, toPlain(one, depth + 1)]),
  );
}

type Fault = { place: Place; toText(): string };

function listFaults(issue: z.core.$ZodIssue): Fault[] {
  const place = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  if (issue.code !== "unrecognized_keys") return [{ place, toText: () => toMessage(issue) }];
  const known = listKnown(place);
  const help = (key: string) =>
    suggest(key, known) || (known.length > 0 ? ` There are: ${known.join(", ")}.` : "");
  return issue.keys.map((key) => ({
    place: [...place, key],
    toText: () => `"${key}" is not known.${help(key)}`,
  }));
}

function toMessage(issue: z.core.$ZodIssue): string {
  const field = String(issue.path.at(-1) ?? "the file");
  if (issue.path.length === 0) return "The file must be an object that begins with hub_file: 1.";
  if (field === "hub_file") return "hub_file must be 1, the version of the format.";
  if (issue.message.endsWith("received undefined")) return `${field} is missing. Write it.`;
  if (issue.code === "invalid_type")
    return `${field} must be ${words[issue.expected] ?? issue.expected}.`;
  if (issue.code === "invalid_value") return `${field} must be one of: ${issue.values.join(", ")}.`;
  if (issue.code === "invalid_format" && issue.format === "uuid") {
    return `${field} must be a UUID, such as ${exampleId}. Leave it out to get a new one.`;
  }
  return /^Invalid|^Too/.test(issue.message)
    ? `${field} is not valid: ${issue.message}.`
    : `${field} ${issue.message}`;
}

const exampleId = "8d4c1f0e-6b52-4a7d-9e3b-5f20c7a91d64";

const words: { [expected: string]: string } = {
  string: "a text. Put it into quotes",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

/** The members that an object at this place may have. */
function listKnown(place: Place): string[] {
  let schema: z.ZodType = hubFileSchema;
  for (const part of place) {
    schema = unwrap(schema);
    if (schema instanceof z.ZodObject) schema = schema.shape[part];
    else if (schema instanceof z.ZodArray) schema = schema.element as z.ZodType;
  }
  schema = unwrap(schema);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

function toRefusal(shown: readonly string[], total = shown.length): HubError {
  const more = total - shown.length;
  const faults = more > 0 ? [...shown, `And ${more} more mistakes.`] : shown;
  return new HubError("bad_request", faults.join("\n"), { detail: { faults } });
}
