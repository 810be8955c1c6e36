/**
 * Writes packages/contract/src/api.ts, the types of the management API for the pages:
 * `npx bun scripts/write-api-types.ts`. A test checks that the file is up to date.
 */
import { join, resolve } from "node:path";
import { type ApiDocument, describeApi } from "../packages/server/src/http/api/api-document.ts";

const file = join(resolve(import.meta.dirname, ".."), "packages/contract/src/api.ts");

const intro = `/**
 * The routes and shapes of the management API, written by scripts/write-api-types.ts from the OpenAPI
 * document.
 */
`;

type Schema = Record<string, unknown>;

/** Converts an OpenAPI document to the text of a module of types. */
export function toApiTypes(document: ApiDocument): string {
  const shapes = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `  ${name}: ${toType(Object(schema), "  ")};`,
  );
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined ? [] : [toRoute(`${method.toUpperCase()} ${path}`, operation)];
    }),
  );
  return [
    intro,
    `export type Shapes = {\n${shapes.join("\n")}\n};\n`,
    `export type Api = {\n${routes.join("\n")}\n};\n`,
  ].join("\n");
}

function toRoute(name: string, operation: object): string {
  const { parameters = [], requestBody, responses = {} } = Object(operation);
  const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  return [
    `  ${JSON.stringify(name)}: {`,
    `    params: ${toParameters(parameters, "path")};`,
    `    query: ${toParameters(parameters, "query")};`,
    `    body: ${toBody(requestBody)};`,
    `    answer: ${toBody(answer)};`,
    "  };",
  ].join("\n");
}

function toParameters(parameters: Schema[], place: string): string {
  const members = parameters
    .filter((one) => one.in === place)
    .map((one) => toMember(String(one.name), Object(one.schema), one.required === true, "    "));
  return members.length === 0 ? "Record<never, never>" : `{\n${members.join("\n")}\n    }`;
}

function toBody(part: unknown): string {
  const content: Record<string, { schema?: Schema }> = Object(Object(part).content);
  const schema = content["application/json"]?.schema;
  if (schema !== undefined) return toType(schema, "    ");
  const [other] = Object.values(content);
  if (other === undefined) return "undefined";
  return other.schema?.format === "binary" ? "Blob" : "string";
}

function toMember(name: string, schema: Schema, isRequired: boolean, indent: string): string {
  const note = typeof schema.description === "string" ? schema.description : null;
  const comment = note === null ? "" : `${indent}  /** ${note.replaceAll("*/", "* /")} */\n`;
  const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
  return `${comment}${indent}  ${key}${isRequired ? "" : "?"}: ${toType(schema, `${indent}  `)};`;
}

function toType(schema: Schema, indent: string): string {
  const { $ref: ref, type, enum: values, anyOf, allOf, items, properties } = schema;
  if (typeof ref === "string") return `Shapes[${JSON.stringify(ref.split("/").at(-1))}]`;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(anyOf)) return anyOf.map((one) => toType(Object(one), indent)).join(" | ");
  if (Array.isArray(allOf)) return allOf.map((one) => toType(Object(one), indent)).join(" & ");
  if (Array.isArray(type))
    return type.map((one) => toType({ ...schema, type: one }, indent)).join(" | ");
  if (type === "array") return `Array<${toType(Object(items), indent)}>`;
  if (properties !== undefined) {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const members = Object.entries(Object(properties)).map(([name, member]) =>
      toMember(name, Object(member), required.has(name), indent),
    );
    return `{\n${members.join("\n")}\n${indent}}`;
  }
  if (type === "object") return toRecord(schema, indent);
  return plainTypes[String(type)] ?? "unknown";
}

function toRecord({ propertyNames, additionalProperties }: Schema, indent: string): string {
  const keys = toType(Object(propertyNames), indent);
  const values = toType(Object(additionalProperties), indent);
  return keys.includes('"') ? `Partial<Record<${keys}, ${values}>>` : `Record<string, ${values}>`;
}

const plainTypes: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

if (import.meta.main) {
  await Bun.write(file, toApiTypes(describeApi({ hubVersion: "", baseUrl: "" })));
}
