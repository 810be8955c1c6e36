import type { FieldSpec } from "@hub/connector";
import { type RowDetail, rowAccessSchema, rowTestsSchema } from "@hub/contract/row.ts";
import type { RowSettings } from "@hub/contract/row-settings.ts";
import { findRowTag } from "@hub/contract/row-tag.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { checkRowOwner, toRowOwner } from "../../connectors/rows/row-owner.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import {
  checkInput,
  descriptionSchema,
  lineSchema,
  tagsSchema,
} from "../../lib/input/check-input.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { makeRowId } from "../../store/rows/row-beginnings.ts";
import { listRowOperations, replaceRowOperations } from "../../store/rows/row-operations-table.ts";
import { deleteRow as deleteStoredRow, insertRow, updateRow } from "../../store/rows/rows-table.ts";
import { setOperationState } from "../../store/rows/switches.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { removeTagFromUsers } from "../../store/tags/tag-reach.ts";
import { toTagNames } from "../../store/tags/tags-table.ts";
import { findConnector } from "../connectors/find-connector.ts";
import { copyRules } from "../rules/copy-rules.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { chooseSlug } from "./channel-slug.ts";
import { checkAccess } from "./checks/check-access.ts";
import { checkNotMade } from "./checks/check-made-row.ts";
import { checkProgramRow } from "./checks/check-program-row.ts";
import { findWeakStored, findWeakTexts } from "./checks/find-weak-fields.ts";
import { loadRow } from "./load-row.ts";
import { valuesSchema } from "./row-change.ts";
import { addDefaults, findMissingTexts, toFieldTexts, toStoredValues } from "./row-values.ts";
import { readRowDetail } from "./views/present-row.ts";
import { toRowSettings } from "./views/present-settings.ts";

type RowDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now">;

const newRowSchema = z.strictObject({
  connector: z.string(),
  label: lineSchema(100),
  description: descriptionSchema.default(""),
  tags: tagsSchema.default([]),
  tests: rowTestsSchema.default("admins"),
  access: rowAccessSchema.default("shared"),
  values: valuesSchema.default({}),
});

export type NewRowInput = z.input<typeof newRowSchema>;

/** What only a hub file gives. */
export type FileReferences = {
  /** Fields whose values are references to secrets outside the hub. */
  references?: ReadonlySet<string>;
};

export type AddOptions = FileReferences & {
  /** One that no row has. */
  id?: string;
  /** Writes more of the new row in the same transaction. It may run more than once. */
  complete?: (trx: Transaction, id: string) => Promise<void>;
};

/** A row without some required values is stored too; `missing` lists them. */
export async function addRow(
  deps: RowDeps,
  actor: Actor,
  input: NewRowInput,
  { id: givenId, references, complete }: AddOptions = {},
): Promise<RowDetail> {
  const given = checkInput(newRowSchema, input);
  const { connector: key, label, description, tags, tests, access, values } = given;
  checkNotMade(deps.registry, key);
  const made = findConnector(deps.registry, key);
  checkAccess(made, access);
  const { configFields: fields } = made;
  const texts = addDefaults(fields, toFieldTexts(fields, values));
  checkProgramRow(deps.registry, actor, key, texts);
  const id = givenId ?? (await makeRowId(deps.store.db));
  const createdAt = deps.now();
  const stamp = stampChange(actor, createdAt);
  const owner = toRowOwner(made);
  const row = {
    id,
    hasMadeId: givenId === undefined,
    connectorKey: key,
    owner,
    label,
    description,
    tags: toTagNames(tags),
    tests,
    access,
    createdAt,
  };
  const seal = (ring: KeyRing) => toStoredValues(ring, id, fields, texts, references);
  return await storeSecrets(deps, seal, async (trx, sealed) => {
    const slug = await chooseSlug(trx, deps.registry, row);
    await insertRow(trx, { ...row, slug, values: sealed });
    await recordChange(trx, stamp, {
      action: "row.create",
      kind: "row",
      id,
      name: label,
      detail: {
        connector: key,
        tags,
        fields: Object.keys(values),
        ...(tests !== "admins" && { tests }),
        ...(access !== "shared" && { access }),
      },
    });
    await complete?.(trx, id);
    const detail = await readRowDetail(trx, deps.registry, id);
    return { ...detail, ...findWeakTexts(fields, texts, references) };
  });
}

/** Required fields that a new row with these values would not have. */
export function findMissingOfNewRow(
  { registry }: Pick<RowDeps, "registry">,
  input: { connector: string; values: Record<string, unknown> },
): FieldSpec[] {
  const fields = findConnector(registry, input.connector).configFields;
  return findMissingTexts(fields, addDefaults(fields, toFieldTexts(fields, input.values)));
}

/** Everything that admins see of a row. */
export async function showRow(
  { store, registry }: Pick<RowDeps, "store" | "registry">,
  id: string,
): Promise<RowDetail> {
  return await readRowDetail(store.db, registry, id);
}

/** The settings page of a row. */
export async function showRowSettings(
  { store, ring, references, registry }: RowDeps & Pick<ServiceDeps, "references">,
  id: string,
): Promise<RowSettings> {
  const row = await loadRow(store.db, id);
  const settings = toRowSettings(findConnector(registry, row.connectorKey), row);
  return { ...settings, ...findWeakStored({ ring: ring.current(), references }, row) };
}

export function enableRow(deps: RowDeps, actor: Actor, id: string): Promise<RowDetail> {
  return setDisabled(deps, actor, id, false);
}

/** Disables one set of credentials; the connector's other rows stay enabled. */
export function disableRow(deps: RowDeps, actor: Actor, id: string): Promise<RowDetail> {
  return setDisabled(deps, actor, id, true);
}

async function setDisabled(
  { store, registry, now }: RowDeps,
  actor: Actor,
  rowId: string,
  disabled: boolean,
): Promise<RowDetail> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, label } = await loadRow(trx, rowId);
    await updateRow(trx, id, { disabled }, stamp.changedAt);
    const action = disabled ? "row.disable" : "row.enable";
    await recordChange(trx, stamp, { action, kind: "row", id, name: label });
    return await readRowDetail(trx, registry, id);
  });
}

/**
 * Makes a new row with the same configuration, operation states and tags, but without the secrets,
 * which belong to the original row. The copy is disabled, so that an admin reviews it first.
 */
export async function duplicateRow(
  { store, registry, now }: RowDeps,
  actor: Actor,
  rowId: string,
  input: { label?: string | undefined } = {},
): Promise<RowDetail> {
  const given = input.label === undefined ? undefined : checkInput(lineSchema(100), input.label);
  const id = await makeRowId(store.db);
  const operationsId = crypto.randomUUID();
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const label = given ?? checkInput(lineSchema(100), toCopyLabel(row.label));
    checkNotMade(registry, row.connectorKey);
    const values = row.values.filter(({ sealed }) => sealed === null);
    checkProgramRow(registry, actor, row.connectorKey, toPlainTexts(row));
    const { connectorKey, owner, description, tests, access } = row;
    // The people of the original row were given that row alone.
    const ownTag = findRowTag(row);
    const tags = row.tags.filter((tag) => tag !== ownTag);
    const connector = registry.find(connectorKey);
    if (connector !== null) checkRowOwner(row, connector);
    const names = { id, hasMadeId: true, connectorKey, owner, label, description };
    const copy = { ...names, tags, tests, access, values, createdAt: at };
    const slug = await chooseSlug(trx, registry, copy);
    await insertRow(trx, { ...copy, slug });
    for (const [key, enabled] of Object.entries(row.operationStates)) {
      await setOperationState(trx, id, key, enabled, at);
    }
    await copyRules(trx, row, id);
    await updateRow(trx, id, { disabled: true }, at);
    const operations = await listRowOperations(trx, row.id);
    if (row.operationsId !== null || operations.length > 0) {
      const copied = row.operationsId === null ? null : operationsId;
      await replaceRowOperations(trx, id, { operationsId: copied, before: [], operations }, at);
    }
    await recordChange(trx, stamp, {
      action: "row.create",
      kind: "row",
      id,
      name: label,
      detail: { connector: connectorKey, copy_of: row.id },
    });
    return await readRowDetail(trx, registry, id);
  });
}

/** Deletes the row, and takes its own tag from users. Its recorded calls stay. */
export async function deleteRow(
  { store, now }: Pick<RowDeps, "store" | "now">,
  actor: Actor,
  rowId: string,
): Promise<{ id: string; label: string }> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, label, connectorKey, tags } = await loadRow(trx, rowId);
    const ownTag = findRowTag({ id, tags });
    await deleteStoredRow(trx, id);
    const people = ownTag === null ? 0 : await removeTagFromUsers(trx, ownTag);
    await recordChange(trx, stamp, {
      action: "row.delete",
      kind: "row",
      id,
      name: label,
      detail: { connector: connectorKey, ...(people > 0 && { people_removed: people }) },
    });
    return { id, label };
  });
}

function toCopyLabel(label: string): string {
  return `${label.slice(0, 93)} (copy)`;
}
