import { sourceSettingsSchema } from "@hub/contract/secret-source.ts";
import { z } from "zod";
import type {
  ReferenceDefinition,
  SecretDefinitions,
  SourceDefinition,
} from "../../secrets/sources/secret-definitions.ts";
import type { Db } from "../../store/database/database.ts";
import {
  listReferenceRows,
  listSecretReferences,
  type SecretReferenceRecord,
} from "../../store/secret-sources/secret-references-table.ts";
import {
  listSecretSources,
  type SecretSourceRecord,
} from "../../store/secret-sources/secret-sources-table.ts";

const textsSchema = z.array(z.string());
const rowsSchema = z.array(z.object({ id: z.string(), addresses: textsSchema }));

/** The ids of the references that name a row, by the row's id. */
export async function readRowReferences(db: Db): Promise<ReadonlyMap<string, string[]>> {
  const byRow = new Map<string, string[]>();
  for (const { id, rows } of await listReferenceRows(db)) {
    for (const row of rowsSchema.parse(JSON.parse(rows))) {
      byRow.set(row.id, [...(byRow.get(row.id) ?? []), id]);
    }
  }
  return byRow;
}

/** All references with their sources. */
export async function readDefinitions(db: Db): Promise<SecretDefinitions> {
  const sources = new Map((await listSecretSources(db)).map((source) => [source.id, source]));
  const definitions = new Map<string, ReferenceDefinition>();
  for (const reference of await listSecretReferences(db)) {
    const source = sources.get(reference.sourceId);
    // Deleted between the two reads: the next revision lacks the reference, too.
    if (source === undefined) continue;
    definitions.set(reference.id, toReferenceDefinition(reference, toSourceDefinition(source)));
  }
  return definitions;
}

export function toSourceDefinition(stored: SecretSourceRecord): SourceDefinition {
  return {
    id: stored.id,
    name: stored.name,
    settings: sourceSettingsSchema.parse(JSON.parse(stored.settings)),
    sealed: stored.sealed,
    prefixes: textsSchema.parse(JSON.parse(stored.prefixes)),
    revision: stored.revision,
  };
}

export function toReferenceDefinition(
  stored: SecretReferenceRecord,
  source: SourceDefinition,
): ReferenceDefinition {
  return {
    id: stored.id,
    name: stored.name,
    source,
    path: stored.path,
    field: stored.field,
    version: stored.version,
    tags: textsSchema.parse(JSON.parse(stored.tags)),
    rows: rowsSchema.parse(JSON.parse(stored.rows)),
    hosts: textsSchema.parse(JSON.parse(stored.hosts)),
    revision: stored.revision,
  };
}
