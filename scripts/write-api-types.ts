/**
 * Writes packages/contract/src/api.ts, the types of the management API for the pages:
 * `npx bun scripts/write-api-types.ts`. A test checks that the file is up to date.
 */
import { join, resolve } from "node:path";
import { type ApiDocument, describeApi } from "../packages/server/src/http/api/api-document.ts";
import { type ContractType, readContractTypes } from "./read-contract-types.ts";

const file = join(resolve(import.meta.dirname, ".."), "packages/contract/src/api.ts");
const columnsMax = 100;

const intro = `/**
 * The routes of the management API, written by scripts/write-api-types.ts from the OpenAPI
 * document. docs/reference/api.md says what their members mean.
 */
`;

type Schema = Record<string, unknown>;

/** Writes a schema as a type, in lines after `indent`. The first has `used` columns before the type. */
type WriteType = (schema: Schema, indent: string, used: number) => string;

/** Converts an OpenAPI document to the text of a module of types. It imports the types that the contract has. */
export function toApiTypes(
  document: ApiDocument,
  contractTypes: ReadonlyMap<string, ContractType>,
): string {
  const shapes = Object.entries(document.components?.schemas ?? {});
  const typeNames = new Map(shapes.map(([id]) => [id, contractTypes.get(id)?.name ?? id]));
  const write = createTypeWriter(typeNames);
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const operation = item?.[method];
      if (operation === undefined) return [];
      const name = JSON.stringify(`${method.toUpperCase()} ${path}`);
      return [`  ${name}: ${write(toParts(operation), "  ", name.length)};`];
    }),
  );
  const own = shapes
    .filter(([id]) => !contractTypes.has(id) && routes.some((text) => hasWord(text, id)))
    .map(([id, schema]) => `type ${id} = ${write(Object(schema), "", id.length + 6)};\n`);
  const body = [...own, `type Routes = {\n${routes.join("\n")}\n};\n`].join("\n");
  return [
    intro,
    `${toImports(
      shapes.flatMap(([id]) => contractTypes.get(id) ?? []),
      body,
    )}\n`,
    body,
    "export type Api = { [Name in keyof Routes]: Route<Name, Routes[Name]> };\n",
  ].join("\n");
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}

/** An import for each file of the contract, with the types that a text has. */
function toImports(types: readonly ContractType[], text: string): string {
  const byFile = new Map([["route.ts", ["Route"]]]);
  for (const { name, file: from } of types) {
    if (hasWord(text, name)) byFile.set(from, [...(byFile.get(from) ?? []), name]);
  }
  return [...byFile]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, unsorted]) => {
      const names = unsorted.toSorted();
      const line = `import type { ${names.join(", ")} } from "./${from}";`;
      if (line.length <= columnsMax) return line;
      return `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./${from}";`;
    })
    .join("\n");
}

/** The parts of a route as one schema, without those that it does not have. */
function toParts(operation: object): Schema {
  const { parameters = [], requestBody, responses = {} } = Object(operation);
  const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const params: Schema[] = parameters.filter((each: Schema) => each.in === "path");
  const query: Schema[] = parameters.filter((each: Schema) => each.in === "query");
  const properties = {
    ...(params.some(({ schema }) => Object(schema).type !== "string") && {
      params: toParameters(params),
    }),
    ...(query.length > 0 && { query: toParameters(query) }),
    ...(requestBody !== undefined && { body: toContent(requestBody) }),
    answer: toContent(answer),
  };
  return { properties, required: Object.keys(properties) };
}

function toParameters(parameters: readonly Schema[]): Schema {
  return {
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

function toContent(part: unknown): Schema {
  const content: Record<string, { schema?: Schema }> = Object(Object(part).content);
  const schema = content["application/json"]?.schema;
  if (schema !== undefined) return schema;
  const [other] = Object.values(content);
  if (other === undefined) return { type: "nothing" };
  return { type: other.schema?.format === "binary" ? "Blob" : "string" };
}

/** A writer of types. `names` has the name of the type of each schema that has an id. */
function createTypeWriter(names: ReadonlyMap<string, string>): WriteType {
  const write: WriteType = (schema, indent, used) => {
    const { $ref: ref, type, enum: values, anyOf, allOf, items, properties } = schema;
    const writeAll = (schemas: unknown[], separator: string) =>
      schemas.map((one) => write(Object(one), indent, used)).join(separator);
    if (typeof ref === "string") return names.get(ref.split("/").at(-1) ?? "") ?? "never";
    if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
    if ("const" in schema) return JSON.stringify(schema.const);
    if (Array.isArray(anyOf)) return writeAll(anyOf, " | ");
    if (Array.isArray(allOf)) return writeAll(allOf, " & ");
    if (Array.isArray(type)) {
      const each = type.map((one) => ({ ...schema, type: one }));
      return writeAll(each, " | ");
    }
    if (type === "array") return `Array<${write(Object(items), indent, used + "Array<>".length)}>`;
    if (properties !== undefined) return writeObject(write, schema, indent, used);
    if (type === "object") return toRecord(write, schema);
    return plainTypes[String(type)] ?? "unknown";
  };
  return write;
}

/** In one line if it fits there, otherwise with a line for each member. */
function writeObject(write: WriteType, schema: Schema, indent: string, used: number): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const members = Object.entries(Object(schema.properties)).map(([name, member]) => {
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
    return { key: `${key}${required.has(name) ? "" : "?"}`, schema: Object(member) };
  });
  const toText = (inner: string, isFlat: boolean) =>
    members.map(
      ({ key, schema: member }) =>
        `${key}: ${write(member, inner, isFlat ? Number.NEGATIVE_INFINITY : key.length)}`,
    );
  const flat = `{ ${toText("", true).join("; ")} }`;
  if (indent.length + used + ": ;".length + flat.length <= columnsMax) return flat;
  const lines = toText(`${indent}  `, false).map((text) => `${indent}  ${text};\n`);
  return `{\n${lines.join("")}${indent}}`;
}

function toRecord(write: WriteType, { propertyNames, additionalProperties }: Schema): string {
  const writeFlat = (schema: unknown) => write(Object(schema), "", Number.NEGATIVE_INFINITY);
  const keys = writeFlat(propertyNames);
  const values = writeFlat(additionalProperties);
  return keys.includes('"') ? `Partial<Record<${keys}, ${values}>>` : `Record<string, ${values}>`;
}

const plainTypes: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
  nothing: "undefined",
  Blob: "Blob",
};

if (import.meta.main) {
  const document = describeApi({ hubVersion: "", baseUrl: "" });
  await Bun.write(file, toApiTypes(document, await readContractTypes()));
}
