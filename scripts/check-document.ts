/**
 * Compares the calls of a document with the document: `bun scripts/check-document.ts FILE`. For each operation it
 * makes a call with all inputs and one with the required ones, and looks in the document, read by another
 * parser, for what the request should have. Prints the numbers and each difference, and fails if there is one.
 */
import { isJsonObject } from "@hub/connector";
import { readBinding } from "../packages/server/src/bridges/openapi/binding.ts";
import { parseDocument } from "../packages/server/src/bridges/openapi/documents/parse-document.ts";
import { readDocument } from "../packages/server/src/bridges/openapi/documents/read-openapi-document.ts";
import {
  type WrittenRequest,
  writeRequest,
} from "../packages/server/src/bridges/openapi/requests/write-request.ts";
import { createSchemaChecker } from "../packages/server/src/lib/json-schema/check-schema.ts";
import { sampleParams } from "../test/support/sample-params.ts";

type Part = Record<string, unknown>;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Usage: bun scripts/check-document.ts FILE");
const text = await Bun.file(file).text();
const raw = toPart(/^\s*[{[]/.test(text) ? JSON.parse(text) : Bun.YAML.parse(text));
const isSwagger = raw.swagger !== undefined;

const separators: Record<string, string> = { csv: ",", ssv: " ", tsv: "\t", pipes: "|" };
const reasons = new Map<string, number>();
const differences: string[] = [];
let operations = 0;
let calls = 0;
for (const one of readDocument(parseDocument(text), { tags: [], paths: [], methods: [] })) {
  if ("leftOut" in one) {
    const { reason, count = 1 } = one.leftOut;
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    continue;
  }
  operations += 1;
  const { inputSchema, sourceName } = one.operation;
  const all = sampleParams(inputSchema);
  const required = new Set(toList(inputSchema.required));
  const least = Object.fromEntries(Object.entries(all).filter(([name]) => required.has(name)));
  for (const params of [all, least]) {
    calls += 1;
    const issue = createSchemaChecker(inputSchema)(params);
    const faults =
      issue === null
        ? compare(one.operation.binding, params, params === least)
        : [`its own sample is refused: ${issue.path} ${issue.message}`];
    for (const fault of faults) differences.push(`${sourceName}: ${fault}`);
  }
}
console.log(`${operations} operations, ${calls} calls, ${differences.length} differences`);
for (const [reason, count] of reasons) console.log(`  left out ${count}: ${reason}`);
for (const difference of differences) console.log(`  ${difference}`);
if (differences.length > 0) process.exitCode = 1;

function compare(given: unknown, params: Part, isLeast: boolean): string[] {
  const binding = readBinding(given);
  const described = findDescribed(binding.method, binding.path);
  if (described === null) return [`the document has no ${binding.method} ${binding.path}`];
  const request = writeRequest(binding, {
    server: new URL("http://host/base"),
    params,
    headers: new Headers(),
    credential: null,
  });
  return [
    ...comparePath(request, binding.path),
    ...described.parameters.flatMap((parameter) => compareParameter(request, parameter, params)),
    ...compareBody(request, described, isLeast),
  ];
}

type Described = { parameters: Part[]; operation: Part };

function findDescribed(method: string, path: string): Described | null {
  for (const [written, given] of Object.entries(toPart(raw.paths))) {
    if (written.replace(/\{[?&].*?\}|[?#].*$/g, "") !== path) continue;
    const item = follow(given);
    const operation = follow(item[method.toLowerCase()]);
    if (Object.keys(operation).length === 0) continue;
    const found = new Map<string, Part>();
    for (const one of [...toList(item.parameters), ...toList(operation.parameters)]) {
      const parameter = follow(one);
      found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
    return { parameters: [...found.values()], operation };
  }
  return null;
}

function comparePath({ url }: WrittenRequest, path: string): string[] {
  const parts = path.split("/");
  const sent = url.pathname.replace(/^\/base/, "").split("/");
  const fits =
    parts.length === sent.length &&
    parts.every((part, at) => part.includes("{") || encodeURI(part) === encodeURI(sent[at] ?? ""));
  return fits ? [] : [`the path is ${url.pathname}`];
}

function compareParameter(
  { url, headers }: WrittenRequest,
  parameter: Part,
  params: Part,
): string[] {
  const { name, in: place, required } = parameter;
  const value = params[String(name)];
  if (place === "query") {
    const values = url.searchParams.getAll(String(name));
    if (required === true && values.length === 0 && !isJsonObject(value)) {
      return isOfKey(String(name)) ? [] : [`query ${name} is missing`];
    }
    if (!Array.isArray(value) || value.length === 0 || values.length === 0) return [];
    const wanted = toWanted(parameter, value.map(toText));
    return wanted === null || Bun.deepEquals(values, wanted)
      ? []
      : [`query ${name} is ${JSON.stringify(values)}, not ${JSON.stringify(wanted)}`];
  }
  if (place === "header" && required === true && !headers.has(String(name))) {
    return isOfKey(String(name)) || isOfHub(String(name)) ? [] : [`header ${name} is missing`];
  }
  return [];
}

/** Null for what this script does not know. */
function toWanted(parameter: Part, items: string[]): string[] | null {
  if (isSwagger) {
    const format = String(parameter.collectionFormat ?? "csv");
    return format === "multi" ? items : [items.join(separators[format] ?? ",")];
  }
  const { style = "form", explode = style === "form" } = parameter;
  if (parameter.content !== undefined || style === "deepObject") return null;
  const separator = { spaceDelimited: " ", pipeDelimited: "|" }[String(style)] ?? ",";
  return explode ? items : [items.join(separator)];
}

function compareBody(
  { body }: WrittenRequest,
  { parameters, operation }: Described,
  isLeast: boolean,
): string[] {
  if (isSwagger) {
    const whole = parameters.find((one) => one.in === "body");
    const form = parameters.filter((one) => one.in === "formData");
    const isNeeded = whole?.required === true || form.some(({ required }) => required === true);
    if (isNeeded && body === null) return ["the body is missing"];
    return form.flatMap((member) => {
      if (isLeast && member.required !== true) return [];
      const sent = typeof body?.content === "string" ? new URLSearchParams(body.content) : null;
      return sent === null || sent.has(String(member.name))
        ? []
        : [`form ${member.name} is missing`];
    });
  }
  const described = follow(operation.requestBody);
  if (described.required === true && body === null) return ["the body is missing"];
  if (body === null) return [];
  const types = Object.keys(toPart(described.content)).map(toType);
  const type = toType(body.contentType);
  return types.some((one) => one === type || one.includes("*")) ? [] : [`the body is ${type}`];
}

function toType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** The row sends the API key. */
function isOfKey(name: string): boolean {
  const schemes = {
    ...toPart(raw.securityDefinitions),
    ...toPart(toPart(raw.components).securitySchemes),
  };
  return Object.values(schemes).some((one) => toPart(one).name === name);
}

/** The hub sends these by itself, or no caller may. */
function isOfHub(name: string): boolean {
  return /^(accept|authorization|content-type|content-length|host|cookie)$/i.test(name);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function follow(given: unknown): Part {
  let part = toPart(given);
  for (let hops = 0; typeof part.$ref === "string" && hops < 8; hops += 1) {
    const { $ref: reference, ...own } = part;
    let found: unknown = raw;
    for (const name of String(reference).split("/").slice(1)) {
      found = toPart(found)[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    part = { ...toPart(found), ...own };
  }
  return part;
}

function toPart(value: unknown): Part {
  return isJsonObject(value) ? value : {};
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
