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

/**
 * A stored operation as the hub uses it. Its schemas stay texts until they are used, because a row
 * may have thousands of operations, of which few are ever called.
 */
export function toOperation({ key, sourceName, definition, ...state }: StoredOperation): Operation {
  const { name, description, destructive, idempotent, inputSchema, outputSchema, binding } =
    definition;
  let used: UsedSchema | null = null;
  const readSchema = () => used?.schema ?? readObject(inputSchema);
  const fromRow: OperationFromRow = {
    readRowOperation: (): RowOperation => ({
      sourceName,
      inputSchema: readSchema(),
      binding: parseJson(binding),
    }),
    readSchema,
    hasOtherParams: () => readSchema().additionalProperties !== false,
    async check(params) {
      used ??= await useSchema(readSchema());
      return used.check(params);
    },
    review: findReview(state),
  };
  return {
    key,
    name,
    description,
    destructive,
    ...(idempotent && { idempotent }),
    get inputFields() {
      return [...(used?.fields ?? toSchemaFields(readSchema()))];
    },
    ...(outputSchema !== null && {
      get outputSchema() {
        return readObject(outputSchema);
      },
    }),
    configOnly: false,
    adminOnly: false,
    examples: [],
    fromRow,
  };
}

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
