import {
  listCredentialNames,
  type SecretRead,
  type SecretSource,
} from "@hub/contract/secret-source.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { toSourceDefinition } from "../../connectors/managed/read-definitions.ts";
import type { Db } from "../../store/database/database.ts";
import {
  listSecretReads,
  type SecretReadRecord,
} from "../../store/secret-sources/secret-reads-table.ts";
import type { SecretReferenceRecord } from "../../store/secret-sources/secret-references-table.ts";
import type { SecretSourceRecord } from "../../store/secret-sources/secret-sources-table.ts";

/** A source for admins, with the last read of one of its references. */
export async function presentSource(
  db: Db,
  record: SecretSourceRecord,
  references: readonly SecretReferenceRecord[],
): Promise<SecretSource> {
  const { settings, prefixes } = toSourceDefinition(record);
  const reads = await Promise.all(references.map(({ id }) => listSecretReads(db, id, 1)));
  const [last] = reads.flat().sort((one, other) => other.readAt - one.readAt);
  return {
    id: record.id,
    name: record.name,
    settings,
    credentials: record.sealed === null ? [] : [...listCredentialNames(settings)],
    prefixes: [...prefixes],
    references: references.length,
    last_read: last === undefined ? null : toSecretRead(last),
    revision: record.revision,
    created_at: toTimeText(record.createdAt),
  };
}

export function toSecretRead({ readAt, outcome, version, reason }: SecretReadRecord): SecretRead {
  return { at: toTimeText(readAt), outcome, version, reason };
}
