import type { ReferenceInput, SecretRead, SecretReference } from "@hub/contract/secret-source.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import {
  toReferenceDefinition,
  toSourceDefinition,
} from "../../connectors/managed/read-definitions.ts";
import { checkChangesSources } from "../../connectors/managed/source-rights.ts";
import { HubError } from "../../errors.ts";
import type { ReferenceRow } from "../../secrets/sources/secret-definitions.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import { listSecretReads } from "../../store/secret-sources/secret-reads-table.ts";
import {
  deleteSecretReference,
  insertSecretReference,
  listSecretReferences,
  type SecretReferenceRecord,
  updateSecretReference,
} from "../../store/secret-sources/secret-references-table.ts";
import { listSecretSources } from "../../store/secret-sources/secret-sources-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { type CheckedReference, checkPath, checkReference } from "./check-reference.ts";
import { confirmRows } from "./confirm-rows.ts";
import { findUses } from "./find-uses.ts";
import { checkRevision, loadSource } from "./manage-sources.ts";
import { presentReference } from "./present-reference.ts";
import { toSecretRead } from "./present-source.ts";

type ReferenceDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now">;

const referencesMax = 2_000;
const shownReads = 100;

/** All references, by name. */
export async function listReferences(
  deps: Pick<ReferenceDeps, "store" | "ring" | "registry">,
): Promise<SecretReference[]> {
  const { db } = deps.store;
  const sources = new Map((await listSecretSources(db)).map((source) => [source.id, source]));
  const uses = await findUses(db, await deps.ring.reload());
  const shown: SecretReference[] = [];
  for (const record of await listSecretReferences(db)) {
    const source = sources.get(record.sourceId);
    if (source === undefined) continue;
    const usedBy = uses.get(record.id) ?? [];
    shown.push(await presentReference(db, deps.registry, record, source, usedBy));
  }
  return shown;
}

/** Adds a reference. Only in a session or on the command line. Nothing is read yet. */
export async function addReference(
  deps: ReferenceDeps,
  actor: Actor,
  input: ReferenceInput,
): Promise<SecretReference> {
  checkChangesSources(actor);
  const given = checkReference(input);
  const id = crypto.randomUUID();
  const stamp = stampChange(actor, deps.now());
  await transaction(deps.store.db, async (trx) => {
    const present = await listSecretReferences(trx);
    checkName(present, given.name, null);
    if (present.length >= referencesMax) {
      throw new HubError("conflict", `A hub has at most ${referencesMax} references.`);
    }
    const base = { id, revision: 1, changedBy: actor.userId, createdAt: stamp.changedAt };
    const { record, detail } = await toRecord(deps, trx, given, base, []);
    await insertSecretReference(trx, record);
    await recordChange(trx, stamp, {
      action: "secret_reference.create",
      kind: "secret_reference",
      id,
      name: given.name,
      detail,
    });
  });
  return await showReference(deps, id);
}

/** Changes a reference, from the next call on. Rows that it had already keep their confirmed addresses. */
export async function setReference(
  deps: ReferenceDeps,
  actor: Actor,
  id: string,
  input: ReferenceInput,
): Promise<SecretReference> {
  checkChangesSources(actor);
  const given = checkReference(input);
  const stamp = stampChange(actor, deps.now());
  await transaction(deps.store.db, async (trx) => {
    const before = await loadReference(trx, id);
    checkRevision(before, given.revision);
    checkName(await listSecretReferences(trx), given.name, before.id);
    const { rows } = await toDefinition(trx, before);
    const base = {
      id: before.id,
      revision: before.revision + 1,
      changedBy: actor.userId,
      createdAt: before.createdAt,
    };
    const { record, detail } = await toRecord(deps, trx, given, base, rows);
    await updateSecretReference(trx, record);
    await recordChange(trx, stamp, {
      action: "secret_reference.update",
      kind: "secret_reference",
      id: before.id,
      name: given.name,
      detail: { from: toDetail(before), to: detail },
    });
  });
  return await showReference(deps, id);
}

/** Removes a reference. Rows and workflows that name it need another value. */
export async function deleteReference(
  { store, now }: Pick<ReferenceDeps, "store" | "now">,
  actor: Actor,
  id: string,
): Promise<{ id: string; name: string }> {
  checkChangesSources(actor);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const reference = await loadReference(trx, id);
    await deleteSecretReference(trx, reference.id);
    await recordChange(trx, stamp, {
      action: "secret_reference.delete",
      kind: "secret_reference",
      id: reference.id,
      name: reference.name,
    });
    return { id: reference.id, name: reference.name };
  });
}

/** Reads the secret now on this server, so that a rotated one counts at once. The value is not shown. */
export async function refreshReference(
  { store, references }: Pick<ServiceDeps, "store" | "references">,
  actor: Actor,
  id: string,
): Promise<SecretRead> {
  checkChangesSources(actor);
  const reference = await loadReference(store.db, id);
  const outcome = await references.managed?.refresh(reference.id);
  if (!outcome) throw new HubError("not_found", "There is no such reference.");
  const { at, outcome: kind, version, reason } = outcome;
  return { at: toTimeText(at), outcome: kind, version, reason };
}

/** The last reads of a reference, the newest first. */
export async function listReads(
  { store }: Pick<ReferenceDeps, "store">,
  id: string,
): Promise<SecretRead[]> {
  const reference = await loadReference(store.db, id);
  return (await listSecretReads(store.db, reference.id, shownReads)).map(toSecretRead);
}

/** By id or name. */
export async function loadReference(db: Db, idOrName: string): Promise<SecretReferenceRecord> {
  const references = await listSecretReferences(db);
  const found =
    references.find(({ id }) => id === idOrName.toLowerCase()) ??
    references.find(({ name }) => name === idOrName);
  if (found !== undefined) return found;
  throw new HubError("not_found", "There is no such reference.");
}

export async function toDefinition(db: Db, record: SecretReferenceRecord) {
  const source = await loadSource(db, record.sourceId);
  return toReferenceDefinition(record, toSourceDefinition(source));
}

async function showReference(deps: ReferenceDeps, id: string): Promise<SecretReference> {
  const { db } = deps.store;
  const record = await loadReference(db, id);
  const source = await loadSource(db, record.sourceId);
  const uses = await findUses(db, deps.ring.current());
  return await presentReference(db, deps.registry, record, source, uses.get(record.id) ?? []);
}

type Base = Pick<SecretReferenceRecord, "id" | "revision" | "changedBy" | "createdAt">;

async function toRecord(
  { registry }: Pick<ReferenceDeps, "registry">,
  trx: Transaction,
  given: CheckedReference,
  base: Base,
  before: readonly ReferenceRow[],
) {
  const source = toSourceDefinition(await loadSource(trx, given.source));
  checkPath(source, given);
  const { rows: ids, confirm_rows: confirmed } = given;
  const rows = await confirmRows(registry, trx, { rows: ids, confirmed, before });
  const record: SecretReferenceRecord = {
    ...base,
    name: given.name,
    sourceId: source.id,
    path: given.path,
    field: given.field,
    version: given.version,
    tags: JSON.stringify(given.tags),
    rows: JSON.stringify(rows),
    hosts: JSON.stringify(given.hosts),
  };
  return { record, detail: toDetail(record) };
}

function toDetail(record: SecretReferenceRecord): Record<string, unknown> {
  const { name, sourceId, path, field, version, tags, rows, hosts } = record;
  return {
    name,
    source: sourceId,
    path,
    field,
    version,
    tags: JSON.parse(tags),
    rows: JSON.parse(rows),
    hosts: JSON.parse(hosts),
  };
}

function checkName(
  present: readonly { id: string; name: string }[],
  name: string,
  own: string | null,
): void {
  if (present.every((other) => other.name !== name || other.id === own)) return;
  throw new HubError("conflict", `There is a reference with the name "${name}" already.`);
}
