import { isJsonObject } from "@hub/connector";
import type { BodyBinding, EncodingBinding } from "../binding.ts";
import { LeftOut } from "./left-out.ts";
import { isJsonType, toMediaType } from "./media-type.ts";
import { isBinary } from "./openapi-keywords.ts";
import type { References } from "./references.ts";
import type { SchemaCopy } from "./schema-copies.ts";

type Part = Record<string, unknown>;

/** The inputs of an operation while they are collected. */
export type InputParts = {
  schemas: SchemaCopy;
  properties: [string, unknown][];
  required: string[];
  /** The inputs that parameters have taken. */
  names: ReadonlySet<string>;
};

export type BodyPart = {
  /** Adds the inputs of the body; returns how a call sends them. */
  addTo(inputs: InputParts): BodyBinding;
};

/** The body of an operation; null if it has none. Throws LeftOut. */
export function readBodyPart(
  references: References,
  method: string,
  given: unknown,
): BodyPart | null {
  // A GET with a body is not portable, and HTTP gives it no meaning.
  if (given === undefined) return null;
  if (method === "get" || method === "head") {
    if (!isRequiredBody(references, given)) return null;
    throw new LeftOut(`It needs a body, which a ${method.toUpperCase()} cannot carry.`);
  }
  const requestBody = references.resolve(given);
  const content = isJsonObject(requestBody.content) ? requestBody.content : {};
  const contentType = chooseType(Object.keys(content));
  if (contentType === null) return null;
  const media = isJsonObject(content[contentType]) ? references.resolve(content[contentType]) : {};
  const kind = toKind(contentType);
  // Swagger 2 says only of the members of a form that they are required.
  const isForm = kind === "form" || kind === "multipart";
  const isRequired = requestBody.required === true || isForm;
  const description = typeof requestBody.description === "string" ? requestBody.description : "";
  const schema = toBodySchema(references, kind, media.schema);
  const members = kind === "text" || kind === "binary" ? null : findMembers(references, schema);
  const encoding =
    members === null ? {} : readEncoding(references, kind, members.properties, media.encoding);
  const sent =
    kind === "multipart" && members !== null ? withFiles(members.properties, encoding) : null;
  return {
    addTo({ schemas, properties, required, names }) {
      const binding: BodyBinding = {
        contentType: contentType === "*/*" ? "application/json" : contentType,
        kind,
        ...(Object.keys(encoding).length > 0 && { encoding }),
      };
      if (members !== null && canBeFlat(members, { isRequired, names })) {
        const copied = schemas.copy({
          type: "object",
          required: members.required,
          properties: sent ?? members.properties,
        });
        // Safe: it is the copy of an object with properties.
        const flat = copied as { properties: Part; required?: string[] };
        properties.push(...Object.entries(flat.properties));
        required.push(
          ...(flat.required ?? []).filter((name) => Object.hasOwn(flat.properties, name)),
        );
        // Otherwise a call without members has no body, which the API refuses.
        const isSentEmpty = requestBody.required === true && members.required.length === 0;
        return {
          ...binding,
          fields: Object.keys(flat.properties),
          ...(isSentEmpty && { sentEmpty: true }),
        };
      }
      const input = ["body", "body_2", "request_body"].find((name) => !names.has(name));
      if (input === undefined) throw new LeftOut("It has no free name for its body.");
      const whole =
        sent === null || members === null ? schema : { ...members.schema, properties: sent };
      const copied = schemas.copy({ type: "object", properties: { it: whole } });
      // Safe: it is the copy of an object with this member.
      const { it } = (copied as { properties: { it?: unknown } }).properties;
      properties.push([input, describe(it ?? {}, description)]);
      if (requestBody.required === true) required.push(input);
      return { ...binding, input };
    },
  };
}

function isRequiredBody(references: References, given: unknown): boolean {
  return isJsonObject(given) && references.resolve(given).required === true;
}

/** JSON before forms, forms before texts and bytes. */
function chooseType(types: readonly string[]): string | null {
  const order = ["json", "form", "multipart", "text", "binary"];
  const usable = types.filter((type) => /^[\w.+*-]+\/[\w.+*-]+\s*(;[\x20-\x7e]*)?$/.test(type));
  const sorted = usable.toSorted((a, b) => order.indexOf(toKind(a)) - order.indexOf(toKind(b)));
  const exact = sorted.find((type) => toMediaType(type) === "application/json");
  return exact ?? sorted[0] ?? null;
}

function toKind(contentType: string): BodyBinding["kind"] {
  const type = toMediaType(contentType);
  if (isJsonType(type) || type === "*/*" || type === "application/*") return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type.startsWith("multipart/")) return "multipart";
  if (type.startsWith("text/") || /[/+](xml|yaml|x-yaml|graphql|sql|x-ndjson)$/.test(type))
    return "text";
  return "binary";
}

function toBodySchema(references: References, kind: BodyBinding["kind"], given: unknown): unknown {
  if (kind === "text") {
    const schema = isJsonObject(given) ? references.resolve(given) : {};
    return schema.type === "string" ? schema : { type: "string", description: "The body as text." };
  }
  if (kind === "binary") {
    return { type: "string", contentEncoding: "base64", description: "The body as base64." };
  }
  return given ?? {};
}

type Members = { schema: Part; properties: Part; required: string[] };

const mixedKeywords = ["oneOf", "anyOf", "not", "if", "patternProperties", "dependentSchemas"];
const depthMax = 8;

/** The members of an object whose members are all named; null for every other schema. */
function findMembers(references: References, given: unknown, depth = 0): Members | null {
  if (!isJsonObject(given) || depth > depthMax) return null;
  const schema = references.resolve(given);
  if (schema.type !== undefined && schema.type !== "object") return null;
  if (mixedKeywords.some((keyword) => Object.hasOwn(schema, keyword))) return null;
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const parts: Members[] = [
    { schema, properties: toPart(schema.properties), required: toTexts(schema.required) },
  ];
  for (const one of Array.isArray(schema.allOf) ? schema.allOf : []) {
    const members = findMembers(references, one, depth + 1);
    if (members === null) return null;
    parts.push(members);
  }
  const names = parts.flatMap(({ properties }) => Object.keys(properties));
  if (new Set(names).size !== names.length) return null;
  return {
    schema: { type: "object" },
    properties: Object.fromEntries(
      parts
        .flatMap(({ properties }) => Object.entries(properties))
        .filter(([name]) => name !== "__proto__"),
    ),
    required: [...new Set(parts.flatMap(({ required }) => required))],
  };
}

/** Whether the members can be inputs beside the parameters, so that a call has one flat object. */
function canBeFlat(
  { properties, required }: Members,
  { isRequired, names }: { isRequired: boolean; names: ReadonlySet<string> },
): boolean {
  const own = Object.keys(properties);
  // Without the body, its required members are not required either.
  if (!isRequired && required.length > 0) return false;
  return own.length > 0 && own.every((name) => !names.has(name));
}

function readEncoding(
  references: References,
  kind: BodyBinding["kind"],
  properties: Part,
  given: unknown,
): Record<string, EncodingBinding> {
  if (kind !== "form" && kind !== "multipart") return {};
  const encodings = toPart(given);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]): [string, EncodingBinding][] => {
      const { contentType, style, explode } = toPart(
        Object.hasOwn(encodings, name) ? encodings[name] : undefined,
      );
      const encoding: EncodingBinding = {
        ...(typeof contentType === "string" && isUsableType(contentType) && { contentType }),
        ...(typeof style === "string" && { style }),
        ...(typeof explode === "boolean" && { explode }),
        ...(kind === "multipart" && isFile(references, schema) && { file: true }),
      };
      return Object.keys(encoding).length === 0 ? [] : [[name, encoding]];
    }),
  );
}

/** One type: of several, the sender would have to choose. */
function isUsableType(contentType: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x2b\x2d-\x7e]*)?$/.test(contentType);
}

function isFile(references: References, given: unknown): boolean {
  if (!isJsonObject(given)) return false;
  const schema = references.resolve(given);
  if (isJsonObject(schema.items))
    return isFile(references, { ...references.resolve(schema.items), items: undefined });
  const isString = schema.type === undefined || schema.type === "string" || schema.type === "file";
  return isString && (isBinary(schema) || schema.contentMediaType === "application/octet-stream");
}

const base64 = { type: "string", contentEncoding: "base64" };

/** A file is base64 alone, or with its name and type. */
function withFiles(properties: Part, encoding: Record<string, EncodingBinding>): Part {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      if (encoding[name]?.file !== true) return [name, schema];
      const { description, items } = toPart(schema);
      const file = {
        description: `${typeof description === "string" ? `${description}\n` : ""}A file as base64, or with its name and type.`,
        anyOf: [
          base64,
          {
            type: "object",
            properties: {
              data: base64,
              filename: { type: "string" },
              content_type: { type: "string" },
            },
            required: ["data"],
          },
        ],
      };
      return [name, items === undefined ? file : { type: "array", items: file }];
    }),
  );
}

function describe(schema: unknown, description: string): unknown {
  if (description === "" || !isJsonObject(schema) || schema.description !== undefined)
    return schema;
  return { ...schema, description };
}

function toPart(value: unknown): Part {
  return isJsonObject(value) ? value : {};
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
