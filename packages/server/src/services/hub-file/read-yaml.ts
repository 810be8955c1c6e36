import {
  CORE_SCHEMA,
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  EVENT_ID,
  type Event,
  getScalarValue,
  intCoreTag,
  mapTag,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from "js-yaml";

/** The way to a value in the file, such as `["rows", 2, "label"]`. */
export type Place = ReadonlyArray<string | number>;

export type ReadYaml = {
  /** Undefined for an empty text. Whole numbers beyond 2^53 keep their digits, as raw JSON. */
  value: unknown;
  /** The line of the value at this place, or of the nearest one around it. */
  findLine(place: Place): number;
};

/** Why a text is refused: a sentence, and the line if there is one. */
export class YamlFault extends Error {
  override readonly name = "YamlFault";
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.line = line;
  }
}

/** Far more than the values of thousands of rows, also where texts contain punctuation. */
const marksMax = 1_000_000;
const valuesMax = 500_000;
const depthMax = 256;

/**
 * Parses YAML or JSON. Attacks: a text of many values, and aliases of aliases, which multiply. So the text's
 * marks are counted before it is parsed, and its values, with those of aliases, before they are made. Throws a
 * YamlFault.
 */
export function readYaml(text: string): ReadYaml {
  if (hasTooManyMarks(text)) {
    const count = marksMax.toLocaleString("en");
    throw new YamlFault(
      `The file has more than ${count} lines, commas, colons, hyphens and brackets. ${splitIt}`,
    );
  }
  const { events, value } = parse(text);
  return { value, findLine: (place) => toLine(text, findOffset(text, events, place)) };
}

const splitIt = "Split it into several files: what a file leaves out stays as it is.";

function parse(text: string): { events: Event[]; value: unknown } {
  try {
    const events = parseEvents(text, { maxDepth: depthMax });
    checkValues(text, events);
    const documents = constructFromEvents(events, { source: text, schema });
    if (documents.length > 1)
      throw new YamlFault("The file has several YAML documents. Leave one.");
    return { events, value: toPlain(documents[0]) };
  } catch (failure) {
    if (!(failure instanceof YAMLException)) throw failure;
    if (failure.reason.includes("maxDepth")) throw toTooDeep();
    const line = failure.mark === undefined ? null : failure.mark.line + 1;
    throw new YamlFault(`the file is not valid YAML or JSON: ${failure.reason}`, line);
  }
}

/** Each value of a text has one of these before it or after it. */
function hasTooManyMarks(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length && marks <= marksMax; at += 1) {
    if (isMark(text.charCodeAt(at))) marks += 1;
  }
  return marks > marksMax;
}

function isMark(code: number): boolean {
  switch (code) {
    case 0x0a: // line feed
    case 0x0d: // carriage return
    case 0x2c: // ,
    case 0x2d: // -
    case 0x3a: // :
    case 0x3f: // ?
    case 0x5b: // [
    case 0x7b: // {
      return true;
    default:
      return false;
  }
}

type Collection = { size: number; isOpen: boolean };

/** Counts keys and values, those of an alias each time that it is used. */
function checkValues(text: string, events: readonly Event[]): void {
  const anchors = new Map<string, Collection>();
  const open: Collection[] = [{ size: 0, isOpen: true }];
  const add = (size: number) => {
    const around = open.at(-1);
    if (around === undefined) return;
    around.size += size;
    if (around.size <= valuesMax) return;
    throw new YamlFault(
      `The file has more than ${valuesMax.toLocaleString("en")} keys and values, with those that its aliases repeat. ${splitIt}`,
    );
  };
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const closed = open.pop();
      if (closed === undefined) continue;
      closed.isOpen = false;
      add(closed.size);
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      open.push({ size: 0, isOpen: true });
      continue;
    }
    const name = text.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) {
      const named = anchors.get(name);
      if (named?.isOpen) throw toTooDeep();
      add(named?.size ?? 1);
      continue;
    }
    const isScalar = event.type === EVENT_ID.SCALAR;
    const made = { size: 1, isOpen: !isScalar };
    if (event.anchorStart >= 0) anchors.set(name, made);
    if (isScalar) add(1);
    else open.push(made);
  }
}

/** Aliases of aliases can be nested deeper than the text. */
function toPlain(value: unknown, depth = 0): unknown {
  if (depth > depthMax) throw toTooDeep();
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1));
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, toPlain(one, depth + 1)]),
  );
}

function toTooDeep(): YamlFault {
  return new YamlFault(`The file is nested deeper than ${depthMax} levels, or contains itself.`);
}

const wholeNumber = /^([-+]?)0*(\d+)$/;

/** As JSON has it: "yes" and "012" in quotes are texts, and there are no dates. */
const schema = CORE_SCHEMA.withTags(
  defineScalarTag("tag:yaml.org,2002:int", {
    ...intCoreTag,
    resolve(source, isExplicit, tagName) {
      const [, sign, digits = ""] = wholeNumber.exec(source) ?? [];
      if (digits.length <= 15) return intCoreTag.resolve(source, isExplicit, tagName);
      const text = `${sign === "-" ? "-" : ""}${digits}`;
      return Number.isSafeInteger(Number(text)) ? Number(text) : JSON.rawJSON(text);
    },
  }),
  defineMappingTag("tag:yaml.org,2002:map", {
    ...mapTag,
    addPair: (map, key, value) => mapTag.addPair(map, toKey(key), value),
    has: (map, key) => mapTag.has(map, toKey(key)),
  }),
);

function toKey(key: unknown): unknown {
  return JSON.isRawJSON(key) ? key.rawJSON : key;
}

/** Follows the place as far as the text has it. */
function findOffset(text: string, events: readonly Event[], place: Place): number {
  // The first event is the document.
  let at = 1;
  let offset = readOffset(events[at]) ?? 0;
  for (const part of place) {
    const found = findMember(text, events, at, part);
    if (found === null) break;
    at = found.at;
    offset = readOffset(events[at]) ?? readOffset(events[found.keyAt]) ?? offset;
  }
  return offset;
}

/** The events of a member of the collection at `at`, and of its key. */
function findMember(
  text: string,
  events: readonly Event[],
  at: number,
  part: string | number,
): { at: number; keyAt: number } | null {
  const isMapping = events[at]?.type === EVENT_ID.MAPPING;
  if (!isMapping && events[at]?.type !== EVENT_ID.SEQUENCE) return null;
  let next = at + 1;
  for (let index = 0; next < events.length && events[next]?.type !== EVENT_ID.POP; index += 1) {
    const keyAt = next;
    if (isMapping) next = skip(events, next);
    if (isMapping ? readKey(text, events[keyAt]) === String(part) : index === part) {
      return { at: next, keyAt };
    }
    next = skip(events, next);
  }
  return null;
}

/** The index of the event after the value that begins at `at`. */
function skip(events: readonly Event[], at: number): number {
  let depth = 0;
  for (let next = at; next < events.length; next += 1) {
    const type = events[next]?.type;
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) depth += 1;
    if (type === EVENT_ID.POP) depth -= 1;
    if (depth <= 0) return next + 1;
  }
  return events.length;
}

function readKey(text: string, event: Event | undefined): string | null {
  return event?.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : null;
}

/** Null for a value that is not written, such as that of `key:`. */
function readOffset(event: Event | undefined): number | null {
  switch (event?.type) {
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.SCALAR: {
      if (event.valueStart < 0) return null;
      const { LITERAL_BLOCK, FOLDED_BLOCK } = SCALAR_STYLE;
      // Of a block the value starts in the line after its mark.
      const isBlock = event.style === LITERAL_BLOCK || event.style === FOLDED_BLOCK;
      return isBlock ? Math.max(0, event.valueStart - 1) : event.valueStart;
    }
    default:
      return null;
  }
}

function toLine(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}
