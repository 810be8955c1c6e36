import type { OperationSpec } from "../../connector-definition.ts";
import type { FieldSpec } from "../../fields/field-spec.ts";
import { isWireKey } from "../../fields/wire-key.ts";
import { isJsonObject } from "../../json.ts";
import { fromModuleFields } from "./from-module-field.ts";
import { readFlag, readList, readRecord, readText } from "./read-member.ts";

/** The description of a plugin's connector in its manifest. */
export type ModuleSpec = {
  key: string;
  name: string;
  description: string;
  icon: string;
  /** The author's suggested tags for new rows. */
  defaultTags: string[];
  configFields: FieldSpec[];
  /** By key, in the manifest's order. */
  operations: ReadonlyMap<string, OperationSpec>;
  hasHealth: boolean;
  hasLookup: boolean;
  hasGenerators: boolean;
};

/** The longest delay of a timer, in milliseconds. */
const timeoutMsMax = 2 ** 31 - 1;

/**
 * Parses the `module` of a manifest, also of an existing plugin. Members that are missing or have
 * another type are ignored, and an unknown field type is a text. Throws an Error with the position of
 * an invalid or duplicate key.
 *
 * `protoVersion` is that of the manifest. Inputs of version 1 have no defaults, because `Value` has
 * Go's zero values there, and their formats are not checked, because no host of version 1 checks them.
 */
export function fromModuleManifest(module: unknown, protoVersion: number): ModuleSpec {
  if (!isJsonObject(module)) throw new Error("The module is not an object");
  const meta = readRecord(module, "Meta");
  const key = readText(meta, "Key");
  if (!isWireKey(key)) throw new Error(`Meta.Key "${key}" must be a-z, 0-9 and _, at most 64`);
  const capabilities = readRecord(module, "Capabilities");
  const hasGenerators = readFlag(capabilities, "Generate");
  const sources = readList(module, "Operations").flatMap((group) => readList(group, "Ops"));
  const operationKeys = new Set(sources.map((source) => readText(source, "Key")));
  const context = {
    operationKeys,
    hasLookup: readFlag(capabilities, "Lookup"),
    hasGenerators,
    isVersion1Input: false,
  };
  const configFields = fromModuleFields("Configs", readList(module, "Configs"), {
    ...context,
    isConfig: true,
  });
  // An operation that renders a widget is never called over MCP. In version 1, the host must apply
  // this rule.
  const rendering = new Set(configFields.map(({ htmlOp }) => htmlOp));
  const operations = new Map<string, OperationSpec>();
  for (const source of sources) {
    const operation = fromModuleOperation(source, protoVersion, (errorPrefix, fields) =>
      fromModuleFields(errorPrefix, fields, {
        ...context,
        hasGenerators: false,
        isVersion1Input: protoVersion === 1,
      }),
    );
    if (operations.has(operation.key)) throw new Error(`Operation ${operation.key} is a duplicate`);
    if (protoVersion === 1 && rendering.has(operation.key)) operation.configOnly = true;
    operations.set(operation.key, operation);
  }
  return {
    key,
    name: readText(meta, "Name") || key,
    description: readText(meta, "Description"),
    icon: readText(meta, "Icon"),
    defaultTags: readList(meta, "DefaultTags")
      .map((tag) => readText(tag, "Name"))
      .filter((name) => name !== ""),
    configFields,
    operations,
    hasHealth: readFlag(capabilities, "Health"),
    hasLookup: context.hasLookup,
    hasGenerators,
  };
}

function fromModuleOperation(
  source: Record<string, unknown>,
  protoVersion: number,
  readFields: (errorPrefix: string, fields: Record<string, unknown>[]) => FieldSpec[],
): OperationSpec {
  const key = readText(source, "Key");
  if (!isWireKey(key)) throw new Error(`Operation key "${key}" must be a-z, 0-9 and _, at most 64`);
  const { TimeoutMs: timeoutMs, OutputSchema: outputSchema } = source;
  return {
    key,
    name: readText(source, "Name") || key,
    description: readText(source, "Description"),
    inputFields: readFields(`Operation ${key}`, readList(source, "Input")),
    destructive: readFlag(source, "Destructive"),
    ...(protoVersion > 1 &&
      readFlag(source, "Reads") &&
      !readFlag(source, "Destructive") && { reads: true }),
    ...(protoVersion > 1 && readFlag(source, "Idempotent") && { idempotent: true }),
    configOnly: readFlag(source, "ConfigOnly"),
    adminOnly: readFlag(source, "AdminOnly"),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isTimeout(timeoutMs) && { timeoutMs }),
    examples: readList(source, "Examples").map((example) => {
      const description = readText(example, "description");
      return { params: readRecord(example, "params"), ...(description !== "" && { description }) };
    }),
  };
}

function isTimeout(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= timeoutMsMax;
}
