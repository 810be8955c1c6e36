import { createHash } from "node:crypto";
import type { FieldSpec } from "@hub/connector";
import { toOperationSchema } from "../../connectors/operation-schema.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { writeCanonical } from "../calls/call-digest.ts";
import type { Target } from "../catalogue/find-operation.ts";

type Basis = Pick<Target, "row" | "connector" | "operation"> & {
  /** Null for a question that no rule asks. */
  rule: { id: string; revision: number } | null;
};

/**
 * The digest of what a call depends on beside what its caller sent: the operation as it is approved, its connector, where
 * the row leads, and the rule that asks. What was approved runs only while all of it is the same.
 */
export async function digestBasis({ row, connector, operation, rule }: Basis): Promise<string> {
  const { key, name, description, destructive, reads, fromRow } = operation;
  const text = await writeCanonical({
    connector: [
      connector.key,
      connector.tier,
      connector.publisher ?? null,
      connector.version ?? null,
      connector.protoVersion ?? null,
    ],
    operation: [key, name, description, destructive, reads === true],
    schema: toOperationSchema(operation),
    binding: fromRow?.readRowOperation() ?? null,
    addresses: listAddresses(row, connector.configFields),
    connection: row.connectionId,
    rule,
  });
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * The values of the row that are no secrets: its addresses and what else says what it leads to. Of an address that is kept
 * as a secret, its ciphertext: a new one is a new place.
 */
function listAddresses({ record, slug }: Row, fields: readonly FieldSpec[]): unknown {
  const credentials = new Set(
    fields.filter(({ secret, widget }) => secret && widget !== "url").map(({ key }) => key),
  );
  const addresses: Record<string, string | null> = {};
  for (const { key, value, sealed } of record.values) {
    if (credentials.has(key)) continue;
    addresses[key] = sealed === null ? value : Buffer.from(sealed).toString("base64url");
  }
  return [slug, addresses];
}
