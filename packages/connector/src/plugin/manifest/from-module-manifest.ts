import type { OperationSpec } from "../../connector-definition.ts";
import type { FieldSpec } from "../../fields/field-spec.ts";
import { isWireKey } from "../../fields/wire-key.ts";
import { isJsonObject } from "../../json.ts";
import { fromModuleFields } from "./from-module-field.ts";
import { readFlag, readList, readRecord, readText } from "./read-member.ts";

/** What a plugin's manifest says of its connector. */
export type ModuleSpec = {
  key: string;
  name: string;
  description: string;
  icon: string;
  /** Tags that its author suggests for new rows. */
  defaultTags: string[];
  configFields: FieldSpec[];
  /** By key, in the manifest's order. */
  operations: ReadonlyMap<string, OperationSpec>;
  hasHealth: boolean;
  hasLookup: boolean;
  hasGenerators: boolean;
};

/** The longest delay a timer can hold, in milliseconds. */
const timeoutMsMax = 2 ** 31 - 1;

/**
 * Reads the `module` of a manifest, also one that an existing plugin wrote: what is missing or of
 * another type counts as not said, and a field type that is not known is a text. Throws an Error
 * that names the place when a key cannot be one, or is a duplicate.
 *
 * `protoVersion` is the manifest's: inputs of version 1 have no defaults, since its `Value` holds Go's
 * zero values, and their formats are not checked, since no host of version 1 ever did.
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
  const configFields = fromModuleFields("Configs", readList(module, "Configs"), context);
  // What renders a widget is never called over MCP; version 1 leaves it to the host to know that.
  const rendering = new Set(configFields.map(({ htmlOp }) => htmlOp));
  const operations = new Map<string, OperationSpec>();
  for (const source of sources) {
    const operation = fromModuleOperation(source, (place, fields) =>
      fromModuleFields(place, fields, {
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
  readFields: (place: string, fields: Record<string, unknown>[]) => FieldSpec[],
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
