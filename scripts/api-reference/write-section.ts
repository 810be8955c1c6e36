import type { ApiDocument } from "../../packages/server/src/http/api/api-document.ts";

export type Operation = NonNullable<NonNullable<NonNullable<ApiDocument["paths"]>[string]>["get"]>;
type Schema = Record<string, unknown>;

/** One endpoint, with its query, body and answer. */
export function toSection(method: string, path: string, operation: Operation): string {
  const { summary = "", description = "", parameters = [] } = operation;
  const lines = [`### ${method} ${path}`, "", `${summary}. ${description.replaceAll("\n\n", " ")}`];
  const queries = parameters.flatMap((one) =>
    "in" in one && one.in === "query"
      ? [toMember(one.name, { description: one.description, ...Object(one.schema) }, one.required)]
      : [],
  );
  if (queries.length > 0) lines.push("", "Query:", "", ...queries);
  const body = readContent(operation.requestBody);
  if (body !== null) lines.push("", "Body:", "", ...toMembers(body.schema));
  const [status, answer] = findSuccess(operation);
  const { schema, types } = readContent(answer) ?? { schema: {}, types: [] };
  const start = `Answers ${status} as ${types.map((type) => `\`${type}\``).join(" or ")}`;
  const members = toMembers(schema);
  if (schema.properties !== undefined) lines.push("", `${start}:`, "", ...members);
  else lines.push("", `${start}: ${schema.description ?? toTypeName(schema)}`);
  return `${lines.join("\n")}\n`;
}

function findSuccess({ responses = {} }: Operation): [string, unknown] {
  const found = Object.entries(responses).find(([status]) => status.startsWith("2"));
  if (found === undefined) throw new Error("An operation has no successful answer.");
  return found;
}

/** The schema and the content types of a body or an answer; null if there is none. */
function readContent(part: unknown): { schema: Schema; types: string[] } | null {
  const content: Record<string, { schema?: Schema }> = Object(Object(part).content);
  const [first] = Object.values(content);
  return first === undefined ? null : { schema: first.schema ?? {}, types: Object.keys(content) };
}

/** One shape that several answers have. Shapes are linked as if they were on the same page. */
export function toShape(name: string, schema: Schema): string {
  const note = typeof schema.description === "string" ? [schema.description, ""] : [];
  return `${[`### ${name}`, "", ...note, ...toMembers(schema)].join("\n")}\n`;
}

function toMembers(schema: Schema): string[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(Object(schema.properties)).map(([name, member]) =>
    toMember(name, Object(member), required.has(name)),
  );
}

function toMember(name: string, schema: Schema, isRequired = false): string {
  const note = typeof schema.description === "string" ? `: ${schema.description}` : "";
  return `- \`${name}\` ${toTypeName(schema)}${isRequired ? "" : ", optional"}${note}`;
}

function toTypeName(schema: Schema): string {
  const { $ref: ref, type, enum: values, anyOf, items, properties, format } = schema;
  if (typeof ref === "string") {
    const name = ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (Array.isArray(values)) return values.map((value) => `\`${toText(value)}\``).join(" or ");
  if ("const" in schema) return `\`${toText(schema.const)}\``;
  if (Array.isArray(anyOf)) return anyOf.map((one) => toTypeName(Object(one))).join(" or ");
  if (Array.isArray(type)) return type.join(" or ");
  if (type === "array") return `list of ${toTypeName(Object(items))}`;
  if (properties !== undefined) {
    const members = Object.entries(Object(properties)).map(
      ([name, member]) => `\`${name}\` ${toTypeName(Object(member))}`,
    );
    return `{${members.join(", ")}}`;
  }
  if (type === "string" && typeof format === "string") return format;
  return typeof type === "string" ? type : "any JSON value";
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}
