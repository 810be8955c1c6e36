import { type JsonSchema, toInputSchema } from "@hub/connector";
import type { Operation } from "./connector-port.ts";

/** The JSON Schema of an operation's params. */
export function toOperationSchema({ fromRow, inputFields }: Operation): JsonSchema {
  return fromRow?.readSchema() ?? toInputSchema(inputFields);
}
