import { isJsonObject, type JsonSchema, parseJson, type RowOperation } from "@hub/connector";
import { createSchemaChecker } from "../../lib/json-schema/check-schema.ts";
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
  const readSchema = () => readObject(inputSchema);
  const use = () => {
    const schema = readSchema();
    return { fields: toSchemaFields(schema), check: createSchemaChecker(schema) };
  };
  // From its first call on.
  let used: ReturnType<typeof use> | null = null;
  const fromRow: OperationFromRow = {
    readRowOperation: (): RowOperation => ({
      sourceName,
      inputSchema: readSchema(),
      binding: parseJson(binding),
    }),
    readSchema,
    hasOtherParams: () => readSchema().additionalProperties !== false,
    check(params) {
      used ??= use();
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
      return used?.fields ?? toSchemaFields(readSchema());
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
