import {
  type FieldSpec,
  type Issue,
  isJsonObject,
  type JsonSchema,
  parseJson,
  type RowOperation,
} from "@hub/connector";
import type { JsonInTextReader } from "../../lib/json/json-in-text.ts";
import { PackedTexts } from "../../lib/text/packed-texts.ts";
import type { StoredOperation } from "../../store/rows/row-operations-table.ts";
import type { FittedParams, Operation, OperationFromRow } from "../connector-port.ts";
import { toSchemaFields } from "./schema-fields.ts";

/** Operations that are read before other callers get a turn, about 2 ms of work. */
const perPortion = 200;

/** The stored operations of a row as the hub uses them, by key. `pause` is awaited after each portion. */
export async function toOperations(
  stored: readonly StoredOperation[],
  pause: () => Promise<void>,
): Promise<Map<string, Operation>> {
  const operations = new Map<string, Operation>();
  let texts = new PackedTexts();
  for (const one of stored) {
    const { inputSchema, outputSchema, binding } = one.definition;
    const at = texts.add([inputSchema, binding, ...(outputSchema === null ? [] : [outputSchema])]);
    operations.set(one.key, new StoredRowOperation(one, texts, at));
    if (texts.isFull()) {
      texts.pack();
      texts = new PackedTexts();
    }
    if (operations.size % perPortion === 0) await pause();
  }
  return operations;
}

/**
 * Its schemas stay texts until they are used, because a row may have thousands of operations, of which
 * few are ever called. Those of large rows are compressed. A class, because closures and getters of its
 * own would take more memory than the texts of a usual operation.
 */
class StoredRowOperation implements Operation, OperationFromRow {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly destructive: boolean;
  readonly reads?: true;
  readonly idempotent?: true;
  readonly configOnly = false;
  readonly adminOnly = false;
  readonly examples = noExamples;
  readonly review: OperationFromRow["review"];
  readonly #sourceName: string;
  /** The input schema, the binding, and the output schema if there is one. */
  readonly #texts: PackedTexts;
  readonly #at: number;
  #used: UsedSchema | null = null;

  constructor(
    { key, sourceName, definition, ...state }: StoredOperation,
    texts: PackedTexts,
    at: number,
  ) {
    this.key = key;
    this.name = definition.name;
    this.description = definition.description;
    // An admin knows better than an outside system that says nothing.
    this.destructive = definition.destructive && state.reads !== true;
    if (state.reads === true) this.reads = true;
    if (definition.idempotent) this.idempotent = true;
    this.review = findReview(state);
    this.#sourceName = sourceName;
    this.#texts = texts;
    this.#at = at;
  }

  get fromRow(): OperationFromRow {
    return this;
  }

  get inputFields(): FieldSpec[] {
    return [...(this.#used?.fields ?? toSchemaFields(this.readSchema()))];
  }

  get outputSchema(): JsonSchema | undefined {
    const [, , text] = this.#texts.read(this.#at);
    return text === undefined ? undefined : readObject(text);
  }

  readRowOperation(): RowOperation {
    const [, binding = "null"] = this.#texts.read(this.#at);
    const [sourceName, inputSchema] = [this.#sourceName, this.readSchema()];
    return { sourceName, inputSchema, binding: parseJson(binding) };
  }

  readSchema(): JsonSchema {
    return this.#used?.schema ?? readObject(this.#texts.read(this.#at)[0] ?? "");
  }

  hasOtherParams(): boolean {
    return this.readSchema().additionalProperties !== false;
  }

  async fit(
    reader: JsonInTextReader,
    params: Record<string, unknown>,
    depth: number,
  ): Promise<FittedParams> {
    this.#used ??= await useSchema(this.readSchema());
    return this.#used.fit(reader, params, depth);
  }

  async check(params: unknown): Promise<Issue | null> {
    this.#used ??= await useSchema(this.readSchema());
    return this.#used.check(params);
  }
}

const noExamples: never[] = [];

/** The parts of a schema that calls need, from the first call on. */
type UsedSchema = {
  schema: JsonSchema;
  fields: readonly FieldSpec[];
  fit(reader: JsonInTextReader, params: Record<string, unknown>, depth: number): FittedParams;
  check(params: unknown): Issue | null;
};

async function useSchema(schema: JsonSchema): Promise<UsedSchema> {
  // Loaded on first use, because the engine of patterns is large.
  const { createSchemaChecker } = await import("../../lib/json-schema/check-schema.ts");
  const { fitToSchema } = await import("../../lib/json-schema/fit-to-schema.ts");
  return {
    schema,
    fields: toSchemaFields(schema),
    check: createSchemaChecker(schema),
    fit(reader, params, depth) {
      const { value, issues } = fitToSchema(schema, reader, { value: params, depth });
      return { params: isJsonObject(value) ? value : params, issues };
    },
  };
}

/** What an admin has not seen yet. */
export function findReview({
  approvedAt,
  pending,
  goneAt,
}: Pick<StoredOperation, "approvedAt" | "pending" | "goneAt">): OperationFromRow["review"] {
  if (goneAt !== null) return "gone";
  if (approvedAt === null) return "new";
  if (pending === null) return null;
  return pending.fault === undefined ? "changed" : "invalid";
}

function readObject(text: string): JsonSchema {
  const value = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
