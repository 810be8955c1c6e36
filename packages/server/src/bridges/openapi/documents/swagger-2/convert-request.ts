import { isJsonObject } from "@hub/connector";
import { LeftOut } from "../left-out.ts";
import type { References } from "../references.ts";
import { toListStyle } from "./list-style.ts";

type Part = Record<string, unknown>;

type RequestParts = {
  /** Those of the path, then those of the operation, which replace them. */
  parameters: readonly unknown[];
  /** The media types that the operation consumes. */
  types: readonly string[];
};

/** The parameters and the body of an operation as OpenAPI 3 has them. */
export function convertRequest(
  references: References,
  { parameters, types: consumed }: RequestParts,
): { parameters: Part[]; requestBody: Part | null } {
  const others: Part[] = [];
  const found = new Map<string, Part>();
  for (const given of parameters) {
    const parameter = resolve(references, given);
    if (parameter === null) others.push(...(isJsonObject(given) ? [given] : []));
    else if (parameter.in === "body") found.set("body", parameter);
    else if (typeof parameter.name === "string" && typeof parameter.in === "string") {
      found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  const list = [...found.values()];
  const types = toSentTypes(list, consumed);
  const body = list.find((one) => one.in === "body");
  const form = list.filter((one) => one.in === "formData");
  const sent = list.filter((one) => one.in !== "body" && one.in !== "formData");
  return {
    parameters: [...others, ...sent.map(toParameter)],
    requestBody:
      body !== undefined ? toBody(body, types) : form.length > 0 ? toForm(form, types) : null,
  };
}

/** Unlike in OpenAPI 3, a parameter may name the only type of the body. */
function toSentTypes(parameters: readonly Part[], consumed: readonly string[]): readonly string[] {
  const parameter = parameters.find(
    (one) => one.in === "header" && String(one.name).toLowerCase() === "content-type",
  );
  const only = Array.isArray(parameter?.enum) ? parameter.enum : [parameter?.default];
  const [type] = only;
  return only.length === 1 && typeof type === "string" ? [type] : consumed;
}

/** Null for a reference that leads to nothing. It stays, so that the operation is left out with the reason. */
function resolve(references: References, given: unknown): Part | null {
  try {
    return isJsonObject(given) ? references.resolve(given) : null;
  } catch (thrown) {
    if (thrown instanceof LeftOut) return null;
    throw thrown;
  }
}

function toParameter(parameter: Part): Part {
  const { name, in: place, description, required } = parameter;
  return {
    name,
    in: place,
    ...(description !== undefined && { description }),
    ...(required !== undefined && { required }),
    ...toListStyle(parameter),
    schema: toSchema(parameter),
  };
}

const schemaKeywords = [
  "type",
  "format",
  "items",
  "default",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "enum",
  "multipleOf",
  "x-nullable",
];

function toSchema(parameter: Part): Part {
  return Object.fromEntries(
    schemaKeywords.flatMap((keyword) =>
      Object.hasOwn(parameter, keyword) ? [[keyword, parameter[keyword]]] : [],
    ),
  );
}

function toBody({ description, required, schema }: Part, types: readonly string[]): Part {
  const used = types.length > 0 ? types : ["application/json"];
  return {
    ...(description !== undefined && { description }),
    ...(required !== undefined && { required }),
    content: Object.fromEntries(used.map((type) => [type, { schema }])),
  };
}

const multipart = "multipart/form-data";
const urlencoded = "application/x-www-form-urlencoded";

function toForm(members: readonly Part[], types: readonly string[]): Part {
  const hasFile = members.some(({ type }) => type === "file");
  const named = types.filter((type) => type === multipart || type === urlencoded);
  const usable = hasFile ? [multipart] : named.length > 0 ? named : [urlencoded];
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      members.map((member) => [
        member.name,
        {
          ...toSchema(member),
          ...(member.description !== undefined && { description: member.description }),
        },
      ]),
    ),
    required: members.filter(({ required }) => required === true).map(({ name }) => name),
  };
  const encoding = Object.fromEntries(
    members.flatMap((member) => {
      const style = toListStyle(member);
      return style === null ? [] : [[member.name, style]];
    }),
  );
  return { content: Object.fromEntries(usable.map((type) => [type, { schema, encoding }])) };
}
