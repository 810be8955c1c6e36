import type { SecretReference } from "@hub/contract/secret-source.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { listDestinations } from "../../connectors/managed/check-destination.ts";
import {
  toReferenceDefinition,
  toSourceDefinition,
} from "../../connectors/managed/read-definitions.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import type { Db } from "../../store/database/database.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { listSecretReads } from "../../store/secret-sources/secret-reads-table.ts";
import type { SecretReferenceRecord } from "../../store/secret-sources/secret-references-table.ts";
import type { SecretSourceRecord } from "../../store/secret-sources/secret-sources-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toSecretRead } from "./present-source.ts";

/** A reference for admins. */
export async function presentReference(
  db: Db,
  registry: ServiceDeps["registry"],
  record: SecretReferenceRecord,
  source: SecretSourceRecord,
  usedBy: SecretReference["used_by"],
): Promise<SecretReference> {
  const { path, field, version, tags, rows, hosts } = toReferenceDefinition(
    record,
    toSourceDefinition(source),
  );
  const [last] = await listSecretReads(db, record.id, 1);
  return {
    id: record.id,
    name: record.name,
    source: { id: source.id, name: source.name },
    path,
    field,
    version,
    tags: [...tags],
    rows: await Promise.all(rows.map((row) => presentRow(db, registry, row))),
    hosts: [...hosts],
    used_by: usedBy,
    last_read: last === undefined ? null : toSecretRead(last),
    revision: record.revision,
    created_at: toTimeText(record.createdAt),
  };
}

async function presentRow(
  db: Db,
  registry: ServiceDeps["registry"],
  { id, addresses }: { id: string; addresses: readonly string[] },
): Promise<SecretReference["rows"][number]> {
  const row = await findRow(db, id);
  const connector = row === null ? null : registry.find(row.connectorKey);
  const present =
    row === null || connector === null
      ? null
      : listDestinations({ connector, texts: toPlainTexts(row) });
  return {
    id,
    label: row?.label ?? null,
    addresses: [...addresses],
    is_current: present !== null && Bun.deepEquals(present, [...addresses]),
  };
}
