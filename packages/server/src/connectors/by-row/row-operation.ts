import {
  type FieldSpec,
  type Issue,
  isJsonObject,
  type JsonSchema,
  parseJson,
  type RowOperation,
} from "@hub/connector";
import type { StoredOperation } from "../../store/row-operations.ts";
import type { Operation, OperationFromRow } from "../connector-port.ts";
import { toSchemaFields } from "./schema-fields.ts";

/** A stored operation as the hub uses it. */
export const toOperation = (stored: StoredOperation): Operation => new StoredRowOperation(stored);

/**
 * Its schemas stay texts until they are used, because a row may have thousands of operations, of which
 * few are ever called. A class, because closures and getters of its own would take more memory than
 * the texts of a usual operation.
 */
class StoredRowOperation implements Operation, OperationFromRow {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly destructive: boolean;
  readonly idempotent?: true;
  readonly configOnly = false;
  readonly adminOnly = false;
  readonly examples = noExamples;
  readonly review: OperationFromRow["review"];
  readonly #sourceName: string;
  readonly #inputSchema: string;
  readonly #outputSchema: string | null;
  readonly #binding: string;
  #used: UsedSchema | null = null;

  constructor({ key, sourceName, definition, ...state }: StoredOperation) {
    this.key = key;
    this.name = definition.name;
    this.description = definition.description;
    this.destructive = definition.destructive;
    if (definition.idempotent) this.idempotent = true;
    this.review = findReview(state);
    this.#sourceName = sourceName;
    this.#inputSchema = definition.inputSchema;
    this.#outputSchema = definition.outputSchema;
    this.#binding = definition.binding;
  }

  get fromRow(): OperationFromRow {
    return this;
  }

  get inputFields(): FieldSpec[] {
    return [...(this.#used?.fields ?? toSchemaFields(this.readSchema()))];
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#outputSchema === null ? undefined : readObject(this.#outputSchema);
  }

  readRowOperation(): RowOperation {
    const [sourceName, inputSchema] = [this.#sourceName, this.readSchema()];
    return { sourceName, inputSchema, binding: parseJson(this.#binding) };
  }

  readSchema(): JsonSchema {
    return this.#used?.schema ?? readObject(this.#inputSchema);
  }

  hasOtherParams(): boolean {
    return this.readSchema().additionalProperties !== false;
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
  check(params: unknown): Issue | null;
};

async function useSchema(schema: JsonSchema): Promise<UsedSchema> {
  // Loaded on first use, because the engine of patterns is large.
  const { createSchemaChecker } = await import("../../lib/json-schema/check-schema.ts");
  return { schema, fields: toSchemaFields(schema), check: createSchemaChecker(schema) };
}

/** What an admin has not seen yet. */
export function findReview({
  approvedAt,
  pending,
  goneAt,
}: Pick<StoredOperation, "approvedAt" | "pending" | "goneAt">): OperationFromRow["review"] {
  if (goneAt !== null) return "gone";
  if (approvedAt === null) return "new";
  return pending === null ? null : "changed";
}

function readObject(text: string): JsonSchema {
  const value = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
