import { endSentence, suggest, toBytesText } from "@hub/connector";
import { type HubFile, hubFileSchema } from "@hub/contract/hub-file.ts";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { isRequired, issueWords } from "../../lib/input/issue-words.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { type ReadYaml, readYaml, type YamlOptions } from "../../lib/yaml/read-yaml.ts";
import { YamlFault } from "../../lib/yaml/yaml-fault.ts";

export type ReadHubFile = {
  file: HubFile;
  /** An error about a place of the file, with its line. */
  refuse(place: ValuePath, message: string): HubError;
};

const bytesMax = 10 * 1024 * 1024;
const faultsMax = 20;

/** Far more than the values of thousands of rows, also where texts contain punctuation. */
const yamlOptions: YamlOptions = {
  noun: "file",
  advice: "Split it into several files: what a file leaves out stays as it is.",
  marksMax: 1_000_000,
  valuesMax: 500_000,
  depthMax: 256,
  admitsDuplicates: false,
  keepsDigits: true,
};

/**
 * Reads a hub file in YAML or JSON. Throws `bad_request` with the line of each mistake and what to write
 * there.
 */
export function readHubFile(text: string): ReadHubFile {
  if (Buffer.byteLength(text) > bytesMax) {
    throw new HubError("bad_request", `The file is larger than ${toBytesText(bytesMax)}.`);
  }
  const { value, findLine } = parse(text);
  const describe = (place: ValuePath, message: string) =>
    `Line ${findLine(place)}${place.length === 0 ? "" : ` (${place.join(".")})`}: ${message}`;
  const parsed = hubFileSchema.safeParse(value, { error: issueWords });
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

function parse(text: string): ReadYaml {
  try {
    return readYaml(text, yamlOptions);
  } catch (fault) {
    if (!(fault instanceof YamlFault)) throw fault;
    throw toRefusal([fault.toText()]);
  }
}

type Fault = { place: ValuePath; toText(): string };

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
  if (issue.message === isRequired) return `${field} is missing. Write it.`;
  const sentence = endSentence(`${field} ${issue.message}`);
  if (issue.code === "invalid_type" && issue.expected === "string") {
    return `${sentence} Put it into quotes.`;
  }
  const isId = issue.code === "invalid_format" && issue.format === "uuid";
  return isId ? `${sentence} Leave it out to get a new one.` : sentence;
}

/** The members that an object at this place may have. */
function listKnown(place: ValuePath): string[] {
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
