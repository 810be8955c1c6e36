import { isJsonObject, splitText } from "@hub/connector";

/** What is known of a value before it exists: a JSON Schema, or the value whose texts may be templates. */
export type Shape =
  | { kind: "schema"; schema: unknown /** Of its references. */; root: unknown }
  | { kind: "value"; value: unknown };

/** How much is left to read of schemas, which can be built to be slow. */
export type ShapeBudget = { left: number };

/** What a shape says of a member: where it has one, that it has none, or nothing. */
export type FoundMember = { kind: "found"; shapes: Shape[] } | { kind: "none" } | { kind: "open" };

/** Of one read. A schema that needs more says nothing. */
const readMax = 5_000;
const depthMax = 32;
const partsMax = 1_000;
const typesMax = 20;

/** What a part of a schema says of a member: `silent` ones leave it to others, `free` ones allow anything. */
type Said = FoundMember | { kind: "silent" } | { kind: "free" };

const free = { kind: "free" } as const;
const none = { kind: "none" } as const;
const silent = { kind: "silent" } as const;

/**
 * Finds a member in what a value may be, one of several shapes. It is missing only if each shape forbids it, or lists
 * members without it.
 */
export function findMember(
  budget: ShapeBudget,
  shapes: readonly Shape[],
  name: string,
): FoundMember {
  const read = { left: Math.min(budget.left, readMax) };
  const before = read.left;
  const said = joinAny(shapes.map((shape) => readShape(read, shape, name)));
  budget.left -= before - Math.max(read.left, 0);
  return said.kind === "silent" || said.kind === "free" ? { kind: "open" } : said;
}

function readShape(read: ShapeBudget, shape: Shape, name: string): Said {
  if (shape.kind === "schema") return readSchema(read, shape, name, 0);
  const { value } = shape;
  // A template can give anything.
  if (typeof value === "string") return value.includes("{{") ? free : none;
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return none;
  return { kind: "found", shapes: [{ kind: "value", value: value[name] }] };
}

type SchemaShape = Extract<Shape, { kind: "schema" }>;

function readSchema(read: ShapeBudget, shape: SchemaShape, name: string, depth: number): Said {
  read.left -= 1;
  const { schema, root } = shape;
  if (read.left < 0 || depth > depthMax) return free;
  if (!isJsonObject(schema)) return silent;
  const into = (part: unknown) =>
    readSchema(read, { kind: "schema", schema: part, root }, name, depth + 1);
  const listOf = (key: string): unknown[] => (Array.isArray(schema[key]) ? schema[key] : []);
  // Even to skip more of them takes time.
  if (["allOf", "anyOf", "oneOf"].some((key) => listOf(key).length > partsMax)) return free;
  const parts = [readOwn(shape, schema, name), ...listOf("allOf").map(into)];
  for (const key of ["anyOf", "oneOf"]) {
    if (listOf(key).length > 0) parts.push(joinAny(listOf(key).map(into)));
  }
  if (typeof schema.$ref === "string") {
    const target = resolvePointer(read, root, schema.$ref);
    parts.push(target === undefined ? free : into(target));
  }
  return joinAll(parts);
}

/** Keywords that may name members in ways that are not followed. */
const unread = ["if", "then", "else", "dependentSchemas", "dependencies", "patternProperties"];
const references = ["$dynamicRef", "$recursiveRef"];

function readOwn({ root }: SchemaShape, schema: Record<string, unknown>, name: string): Said {
  const toShape = (part: unknown): Said => ({
    kind: "found",
    shapes: [{ kind: "schema", schema: part, root }],
  });
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? []].flat();
  if (types.length > typesMax) return free;
  if (types.length > 0 && !types.includes("object")) return none;
  const { properties, additionalProperties: others, unevaluatedProperties: rest } = schema;
  const named = isJsonObject(properties) ? properties : {};
  if (Object.hasOwn(named, name)) return toShape(named[name]);
  if ([...unread, ...references].some((key) => Object.hasOwn(schema, key))) return free;
  if (others === false) return none;
  if (isJsonObject(others)) return toShape(others);
  if (others !== undefined || (rest !== undefined && rest !== false)) return free;
  return listNames(named).length > 0 ? none : silent;
}

/** One of several is true. */
function joinAny(all: readonly Said[]): Said {
  if (all.some(({ kind }) => kind === "free" || kind === "open")) return free;
  if (all.some(({ kind }) => kind === "silent")) return silent;
  return joinFound(all) ?? (all.length === 0 ? silent : none);
}

/** All of them are true. */
function joinAll(all: readonly Said[]): Said {
  const found = joinFound(all);
  const isFree = all.some(({ kind }) => kind === "free" || kind === "open");
  if (found === null) {
    if (isFree) return free;
    return all.some(({ kind }) => kind === "none") ? none : silent;
  }
  // The other part may say more of the member.
  const more: Shape[] = isFree ? [{ kind: "schema", schema: {}, root: {} }] : [];
  return { kind: "found", shapes: [...found.shapes, ...more] };
}

function joinFound(all: readonly Said[]): (FoundMember & { kind: "found" }) | null {
  const shapes = all.flatMap((said) => (said.kind === "found" ? said.shapes : []));
  return shapes.length === 0 ? null : { kind: "found", shapes };
}

const pointerCharsMax = 500;

/** The part of a document that a reference inside it names. Undefined if there is none, or it costs too much. */
function resolvePointer(read: ShapeBudget, root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/") || reference.length > pointerCharsMax) return undefined;
  const parts = splitText(reference.slice(2), "/");
  read.left -= parts.length;
  if (read.left < 0) return undefined;
  let found = root;
  for (const part of parts) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const namesMax = 500;
const namedVisitsMax = 500;

/** The first names of objects, which take as long as all of them to list: an object can have 100,000. */
const listedNames = new WeakMap<object, readonly string[]>();

function listNames(object: object): readonly string[] {
  const names = listedNames.get(object) ?? Object.keys(object).slice(0, namesMax);
  listedNames.set(object, names);
  return names;
}

/** Some names of members that shapes list, for a did-you-mean. */
export function listMembers(shapes: readonly Shape[]): string[] {
  const names = new Set<string>();
  const read = { left: readMax };
  const left = shapes.map((shape) => ({ shape, depth: 0 }));
  for (
    let visits = 0;
    visits < namedVisitsMax && left.length > 0 && names.size < namesMax;
    visits += 1
  ) {
    const { shape, depth } = left.shift() ?? { shape: { kind: "value", value: null }, depth: 0 };
    if (shape.kind === "value") {
      if (isJsonObject(shape.value)) addNames(names, shape.value);
      continue;
    }
    const { schema, root } = shape;
    if (!isJsonObject(schema) || depth > depthMax) continue;
    if (isJsonObject(schema.properties)) addNames(names, schema.properties);
    const target =
      typeof schema.$ref === "string" ? resolvePointer(read, root, schema.$ref) : undefined;
    for (const list of [schema.allOf, schema.anyOf, schema.oneOf, [target]]) {
      if (!Array.isArray(list) || left.length > namedVisitsMax) continue;
      for (const part of list.slice(0, namedVisitsMax)) {
        left.push({ shape: { kind: "schema", schema: part, root }, depth: depth + 1 });
      }
    }
  }
  return [...names];
}

function addNames(names: Set<string>, object: object): void {
  for (const name of listNames(object)) names.add(name);
}
