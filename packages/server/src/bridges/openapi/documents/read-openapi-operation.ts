import type { DiscoveredOperation, JsonSchema } from "@hub/connector";
import { assertsFormats } from "../../../lib/json-schema/dialect.ts";
import type { Binding } from "../binding.ts";
import { type SchemaDetail, SchemaTooLarge } from "./copy-schema.ts";
import { LeftOut } from "./left-out.ts";
import { readPathTemplate } from "./path-template.ts";
import { readAnswers } from "./read-answers.ts";
import { findApiKey } from "./read-api-key.ts";
import { type BodyPart, readBodyPart } from "./read-body-part.ts";
import { type Parameter, readParameters } from "./read-parameters.ts";
import { createServerReader } from "./read-servers.ts";
import { createReferences, type References } from "./references.ts";
import { createSchemaCopies, type OpenSchemaCopy } from "./schema-copies.ts";

type Part = Record<string, unknown>;

export type FoundOperation = {
  sourceName: string;
  method: string;
  path: string;
  /** The path's item, which has what its operations share. */
  item: Part;
  operation: Part;
};

/** The limits of the hub for every discovered operation. */
const inputCharsMax = 60 * 1024;
const outputCharsMax = 15 * 1024;

/** Reads the operations of one document. `read` throws LeftOut for one that cannot be used. */
export type OperationReader = {
  references: References;
  read(found: FoundOperation): DiscoveredOperation;
};

export function createOperationReader(document: Part): OperationReader {
  const references = createReferences(document);
  const openCopy = createSchemaCopies(references);
  const findServers = createServerReader(document);
  return {
    references,
    read({ sourceName, method, path, item, operation }) {
      if (method === "trace") throw new LeftOut("The method TRACE cannot be used.");
      const apiKey = findApiKey(references, document, operation);
      const parameters = readParameters(references, { item, operation, apiKey });
      const place = readPathTemplate(path, parameters);
      const bodyPart = readBodyPart(references, method, operation.requestBody);
      const { accept, schema: answerSchema } = readAnswers(references, operation.responses);
      const servers = findServers(item, operation);
      const { inputSchema, body } = toInput(openCopy, parameters, bodyPart);
      const dialect = document.jsonSchemaDialect;
      const outputSchema = toOutputSchema(openCopy, answerSchema);
      const binding: Binding = {
        method: method.toUpperCase(),
        ...place,
        parameters: parameters.map(({ binding }) => binding),
        ...(body !== null && { body }),
        ...(servers !== null && { servers }),
        ...(apiKey !== null && { apiKey }),
        ...(accept !== null && { accept }),
      };
      const title = toText(operation.summary).replace(/\s+/g, " ").trim();
      return {
        sourceName,
        ...(title !== "" && { title }),
        description: toDescription(operation, `${method.toUpperCase()} ${path}`),
        inputSchema: { ...(assertsFormats(dialect) && { $schema: dialect }), ...inputSchema },
        ...(outputSchema !== null && { outputSchema }),
        destructive: method !== "get" && method !== "head",
        ...(takesIdempotencyKey(parameters) && { idempotent: true }),
        binding,
      };
    },
  };
}

type Input = { inputSchema: JsonSchema; body: Binding["body"] | null };

/** With as many details as the limit allows. */
function toInput(
  openCopy: OpenSchemaCopy,
  parameters: readonly Parameter[],
  bodyPart: BodyPart | null,
): Input {
  for (const detail of ["full", "terse", "shallow"] as const) {
    try {
      return copyInput(openCopy, parameters, bodyPart, detail);
    } catch (thrown) {
      if (!(thrown instanceof SchemaTooLarge)) throw thrown;
    }
  }
  throw new LeftOut(`Its inputs need more than ${inputCharsMax / 1024} KiB to describe.`);
}

function copyInput(
  openCopy: OpenSchemaCopy,
  parameters: readonly Parameter[],
  bodyPart: BodyPart | null,
  detail: SchemaDetail,
): Input {
  const schemas = openCopy("input", detail, inputCharsMax);
  const properties: [string, unknown][] = [];
  const required: string[] = [];
  for (const { binding, schema, isRequired, description } of parameters) {
    const copied = schemas.copy({ type: "object", properties: { it: schema } });
    properties.push([binding.input, describe(takeMember(copied), description)]);
    if (isRequired) required.push(binding.input);
  }
  const names = new Set(parameters.map(({ binding }) => binding.input));
  const body = bodyPart?.addTo({ schemas, properties, required, names }) ?? null;
  const definitions = schemas.takeDefinitions();
  return {
    body,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    },
  };
}

function takeMember(schema: unknown): unknown {
  // Safe: it is the copy of an object with this member, which may be left out.
  const { properties } = schema as { properties?: { it?: unknown } };
  return properties?.it ?? {};
}

function describe(schema: unknown, description: string): unknown {
  if (description === "" || typeof schema !== "object" || schema === null) return schema;
  return { ...schema, description };
}

function toOutputSchema(openCopy: OpenSchemaCopy, schema: unknown): JsonSchema | null {
  if (schema === undefined) return null;
  for (const detail of ["full", "terse", "shallow"] as const) {
    try {
      const schemas = openCopy("output", detail, outputCharsMax);
      const copied = schemas.copy(schema);
      const definitions = schemas.takeDefinitions();
      if (typeof copied !== "object" || copied === null) return null;
      return Object.keys(definitions).length === 0
        ? (copied as JsonSchema)
        : { ...copied, $defs: definitions };
    } catch (thrown) {
      // It only describes, so the operation can be used without it.
      if (thrown instanceof LeftOut) return null;
      if (!(thrown instanceof SchemaTooLarge)) throw thrown;
    }
  }
  return null;
}

/** Its own words, and where a model finds it in the API's documentation. */
function toDescription({ summary, description, deprecated }: Part, place: string): string {
  const first = toText(summary);
  const rest = toText(description);
  const words = rest.startsWith(first) ? [rest] : [first, rest];
  const lines = [
    ...(deprecated === true ? ["Deprecated."] : []),
    ...words.filter((text) => text !== ""),
  ];
  return lines.length === 0 ? place : lines.join("\n");
}

function toText(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Whether the API recognizes a repeated call by this header. */
function takesIdempotencyKey(parameters: readonly Parameter[]): boolean {
  return parameters.some(
    ({ binding }) => binding.in === "header" && binding.name.toLowerCase() === "idempotency-key",
  );
}
