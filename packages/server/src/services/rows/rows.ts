import type { FieldSpec } from "@hub/connector";
import type { Row, RowDetail } from "@hub/contract/row.ts";
import type { RowSettings } from "@hub/contract/row-settings.ts";
import { z } from "zod";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { Store } from "../../store/open-store.ts";
import {
  deleteRow,
  findRow,
  insertRow,
  listRows,
  putRowValues,
  type RowRecord,
  setRowTags,
  updateRow,
} from "../../store/rows.ts";
import { listDisabledTypes, setOperationState } from "../../store/states.ts";
import type { Db } from "../../store/tables.ts";
import { toTagNames } from "../../store/tags.ts";
import type { ChangeRecorder } from "../change-recorder.ts";
import { checkInput, lineSchema, tagsSchema } from "../check-input.ts";
import { findConnector } from "../find-connector.ts";
import { findRowByName } from "../find-row.ts";
import { hasSameTags, toChangedTags } from "../tag-change.ts";
import { toRow, toRowDetail } from "./present-row.ts";
import { toRowSettings } from "./present-settings.ts";
import {
  checkVersion,
  descriptionSchema,
  type RowChangeInput,
  rowChangeSchema,
  toChangedTexts,
  toRowChangeDetail,
  updateWords,
  valuesSchema,
} from "./row-change.ts";
import { addDefaults, findMissingTexts, toFieldTexts, toStoredValues } from "./row-values.ts";

type RowDeps = {
  store: Store;
  ring: RingHolder;
  registry: ConnectorRegistry;
  changes: ChangeRecorder;
};

const newRowSchema = z.strictObject({
  connector: z.string(),
  label: lineSchema(100),
  description: descriptionSchema.default(""),
  tags: tagsSchema.default([]),
  values: valuesSchema.default({}),
});

export type NewRowInput = z.input<typeof newRowSchema>;
export type RowVerbs = ReturnType<typeof createRowVerbs>;

/** Verbs on configured connectors. Each names a row by id, beginning of an id, or exact label. */
export function createRowVerbs({ store, ring, registry, changes }: RowDeps) {
  const present = async (db: Db) => ({ registry, disabledTypes: await listDisabledTypes(db) });
  const detail = async (db: Db, id: string) => toRowDetail(await present(db), await reread(db, id));

  const setDisabled = (name: string, disabled: boolean): Promise<RowDetail> =>
    store.transaction(async (trx) => {
      const { id, label } = await findRowByName(trx, name);
      await updateRow(trx, id, { disabled });
      const action = disabled ? "row.disable" : "row.enable";
      await changes.record(trx, { action, kind: "row", id, name: label });
      return detail(trx, id);
    });

  return {
    /** A row that still lacks required values is kept all the same, and says so in `missing`. */
    async add(input: NewRowInput): Promise<RowDetail> {
      const { connector: key, label, description, tags, values } = checkInput(newRowSchema, input);
      const fields = findConnector(registry, key).configFields;
      const texts = addDefaults(fields, toFieldTexts(fields, values));
      const id = crypto.randomUUID();
      return store.transaction(async (trx) => {
        await insertRow(trx, {
          id,
          connectorKey: key,
          label,
          description,
          tags: toTagNames(tags),
          values: toStoredValues(await ring.reload(), id, fields, texts),
        });
        await changes.record(trx, {
          action: "row.create",
          kind: "row",
          id,
          name: label,
          detail: { connector: key, tags, fields: Object.keys(values) },
        });
        return detail(trx, id);
      });
    },

    /** Required fields that a new row with these values would still lack. */
    findMissing(input: { connector: string; values: Record<string, unknown> }): FieldSpec[] {
      const fields = findConnector(registry, input.connector).configFields;
      return findMissingTexts(fields, addDefaults(fields, toFieldTexts(fields, input.values)));
    },

    async list(filter: { connector?: string } = {}): Promise<Row[]> {
      const { connector } = filter;
      const rows = await listRows(
        store.db,
        connector === undefined ? {} : { connectorKey: connector },
      );
      const deps = await present(store.db);
      return rows.map((row) => toRow(deps, row));
    },

    async show(name: string): Promise<RowDetail> {
      return toRowDetail(await present(store.db), await findRowByName(store.db, name));
    },

    async set(name: string, input: RowChangeInput): Promise<RowDetail> {
      const change = checkInput(rowChangeSchema, input);
      const { connectorKey } = await findRowByName(store.db, name);
      const texts = await toChangedTexts(registry, connectorKey, change);
      return store.transaction(async (trx) => {
        const row = await findRowByName(trx, name);
        checkVersion(row, change.version);
        await updateWords(trx, row, change);
        const tags = toChangedTags(row.tags, change);
        if (!hasSameTags(tags, row.tags)) await setRowTags(trx, row.id, tags);
        if (texts.size > 0) {
          const fields = findConnector(registry, row.connectorKey).configFields;
          const values = toStoredValues(await ring.reload(), row.id, fields, texts);
          await putRowValues(trx, row.id, values);
        }
        await changes.record(trx, {
          action: "row.update",
          kind: "row",
          id: row.id,
          name: row.label,
          detail: toRowChangeDetail(row, change, tags, texts),
        });
        return detail(trx, row.id);
      });
    },

    enable: (name: string) => setDisabled(name, false),

    /** Puts one set of credentials out of reach, without touching the connector's other rows. */
    disable: (name: string) => setDisabled(name, true),

    /** The settings page of a row. */
    async settings(name: string): Promise<RowSettings> {
      const row = await findRowByName(store.db, name);
      return toRowSettings(findConnector(registry, row.connectorKey), row);
    },

    /**
     * A new row with the same configuration, switches and tags, but without secrets: they belong to
     * the row that they were given to. It begins disabled, so that nothing is reachable twice before
     * an admin has looked at it.
     */
    async duplicate(name: string, input: { label?: string } = {}): Promise<RowDetail> {
      return store.transaction(async (trx) => {
        const row = await findRowByName(trx, name);
        const label = checkInput(lineSchema(100), input.label ?? toCopyLabel(row.label));
        const id = crypto.randomUUID();
        const values = row.values.filter(({ sealed }) => sealed === null);
        const { connectorKey, description, tags } = row;
        await insertRow(trx, { id, connectorKey, label, description, tags, values });
        for (const [key, enabled] of Object.entries(row.operationStates)) {
          await setOperationState(trx, id, key, enabled);
        }
        await updateRow(trx, id, { disabled: true });
        await changes.record(trx, {
          action: "row.create",
          kind: "row",
          id,
          name: label,
          detail: { connector: connectorKey, copy_of: row.id },
        });
        return detail(trx, id);
      });
    },

    /** Its recorded runs stay. */
    async delete(name: string): Promise<{ id: string; label: string }> {
      return store.transaction(async (trx) => {
        const { id, label, connectorKey } = await findRowByName(trx, name);
        await deleteRow(trx, id);
        await changes.record(trx, {
          action: "row.delete",
          kind: "row",
          id,
          name: label,
          detail: { connector: connectorKey },
        });
        return { id, label };
      });
    },
  };
}

function toCopyLabel(label: string): string {
  return `${label.slice(0, 93)} (copy)`;
}

async function reread(db: Db, id: string): Promise<RowRecord> {
  const row = await findRow(db, id);
  if (row === null) throw new Error(`Row ${id} vanished within a transaction`);
  return row;
}
