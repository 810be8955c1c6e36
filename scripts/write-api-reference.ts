/**
 * Writes docs/reference/api.md from the server's routes and schemas:
 * `npx bun scripts/write-api-reference.ts`. A test checks that the page is up to date.
 */
import { join, resolve } from "node:path";
import { type ApiDocument, describeApi } from "../packages/server/src/http/api/api-document.ts";

const file = join(resolve(import.meta.dirname, ".."), "docs/reference/api.md");

const intro = `# Management API

The functions of admins and the functions that each user has, as JSON over HTTP. The complete
description is served as an OpenAPI 3.1 document at \`/openapi.json\`, for client generators.
\`npx bun scripts/write-api-reference.ts\` writes this page from that document.

- **Authentication** is a personal access token with the scope \`manage\`
  (\`Authorization: Bearer hub_pat_…\`) or a signed-in browser. Changes by a browser also need the header
  \`X-CSRF-Token\`, with the token of \`GET /profile/api/me\`. Tokens of applications are refused.
- **Requests** are JSON. Unknown members and query parameters are refused, so that a misspelt name is
  noticed. New members may be added to answers.
- **Failures** are \`{"error": "<what to do>", "code": "<word>"}\`, with \`issues\` if several values are
  wrong. There are no redirects.
- **Objects that a caller may not see** are answered with 404, like objects that do not exist.

Worked examples are in the [guide](../guide/management-api.md).
`;

/** Converts an OpenAPI document to the reference page. */
export function toApiReference(document: ApiDocument): string {
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ["get", "post", "put", "patch", "delete"] as const) {
      const operation = item?.[method];
      if (operation === undefined) continue;
      const title = `${toTitle(operation.tags?.[0] ?? "")} (\`/${path.split("/")[1]}/api\`)`;
      const sections = groups.get(title) ?? [];
      groups.set(title, sections);
      sections.push(toSection(method.toUpperCase(), path, operation));
    }
  }
  const shapes = Object.entries(document.components?.schemas ?? {}).toSorted(([one], [other]) =>
    one.localeCompare(other),
  );
  return [
    intro,
    ...[...groups].map(([title, sections]) => `## ${title}\n\n${sections.join("\n")}`),
    `## Shapes\n\n${shapes.map(([name, schema]) => toShape(name, Object(schema))).join("\n")}`,
  ].join("\n");
}

type Operation = NonNullable<NonNullable<NonNullable<ApiDocument["paths"]>[string]>["get"]>;
type Schema = Record<string, unknown>;

function toSection(method: string, path: string, operation: Operation): string {
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

function toShape(name: string, schema: Schema): string {
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

function toTitle(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

if (import.meta.main) {
  await Bun.write(file, toApiReference(describeApi({ hubVersion: "", baseUrl: "" })));
}
