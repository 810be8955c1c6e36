import type { FieldSpec } from "@hub/connector";
import type { Row, RowDetail } from "@hub/contract/row.ts";
import type { RowSettings } from "@hub/contract/row-settings.ts";
import { z } from "zod";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { Store } from "../store/open-store.ts";
import {
  deleteRow,
  findRow,
  insertRow,
  listRows,
  putRowValues,
  type RowRecord,
  setRowTags,
  updateRow,
} from "../store/rows.ts";
import { listTypeStates, setOperationState } from "../store/states.ts";
import type { Db } from "../store/tables.ts";
import { toTagNames } from "../store/tags.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { checkInput, lineSchema, tagsSchema, toBadRequest } from "./check-input.ts";
import { findConnector } from "./find-connector.ts";
import { findRowByName } from "./find-row.ts";
import { toRow, toRowDetail } from "./present-row.ts";
import { toRowSettings } from "./present-settings.ts";
import {
  addDefaults,
  type FieldTexts,
  findMissingTexts,
  resealFor,
  toFieldTexts,
  toStoredValues,
} from "./row-values.ts";
import { hasSameTags, toChangedTags } from "./tag-change.ts";

type RowDeps = {
  store: Store;
  ring: RingHolder;
  registry: ConnectorRegistry;
  changes: ChangeRecorder;
};

/** By wire key. Text, or for numbers, switches and lists the value itself. */
const valuesSchema = z.record(z.string(), z.unknown());
const descriptionSchema = z.string().max(2000, { error: "must have at most 2000 characters." });

const newRowSchema = z.strictObject({
  connector: z.string(),
  label: lineSchema(100),
  description: descriptionSchema.default(""),
  tags: tagsSchema.default([]),
  values: valuesSchema.default({}),
});

const rowChangeSchema = z.strictObject({
  label: lineSchema(100).optional(),
  description: descriptionSchema.optional(),
  /** Replaces all tags. */
  tags: tagsSchema.optional(),
  addTags: tagsSchema.default([]),
  removeTags: tagsSchema.default([]),
  /** An empty text unsets a field. */
  values: valuesSchema.default({}),
  /** `regen` fields to fill with a fresh value. */
  regenerate: z.array(z.string()).default([]),
  /** The version that was read: where the row has moved on, nothing is changed. */
  version: z.int().optional(),
});

export type NewRowInput = z.input<typeof newRowSchema>;
export type RowChangeInput = z.input<typeof rowChangeSchema>;
export type RowVerbs = ReturnType<typeof createRowVerbs>;

/** Verbs on configured connectors. Each names a row by id, beginning of an id, or exact label. */
export function createRowVerbs({ store, ring, registry, changes }: RowDeps) {
  const present = async (db: Db) => ({ registry, disabledTypes: await findDisabledTypes(db) });
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
          detail: { connector: key, tags, fields: [...toFieldTexts(fields, values).keys()] },
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
     * A new row with the same configuration, secrets included, switches and tags. It begins
     * disabled, so that nothing is reachable twice before somebody has looked at it.
     */
    async duplicate(name: string, input: { label?: string } = {}): Promise<RowDetail> {
      const ringNow = await ring.reload();
      return store.transaction(async (trx) => {
        const row = await findRowByName(trx, name);
        const label = checkInput(lineSchema(100), input.label ?? toCopyLabel(row.label));
        const id = crypto.randomUUID();
        const values = row.values.map((stored) => resealFor(ringNow, row.id, id, stored));
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

async function findDisabledTypes(db: Db): Promise<Set<string>> {
  const states = await listTypeStates(db);
  return new Set(states.filter((state) => state.disabled).map((state) => state.connectorKey));
}

async function reread(db: Db, id: string): Promise<RowRecord> {
  const row = await findRow(db, id);
  if (row === null) throw new Error(`Row ${id} vanished within a transaction`);
  return row;
}

/** Two who change a row at once: the second learns of it before anything of the first is lost. */
function checkVersion(row: RowRecord, version: number | undefined): void {
  if (version === undefined || version === row.version) return;
  throw new HubError(
    "conflict",
    `"${row.label}" was changed by somebody else meanwhile. Read it again, and make your change to that.`,
    { detail: { version: row.version } },
  );
}

async function updateWords(db: Db, row: RowRecord, change: RowChange): Promise<void> {
  const { label, description } = change;
  if (label === undefined && description === undefined) return;
  await updateRow(db, row.id, {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
  });
}

type RowChange = z.output<typeof rowChangeSchema>;

/** Words and tags as they were and are; of values the names alone, since any may be a secret. */
function toRowChangeDetail(
  row: RowRecord,
  { label, description }: RowChange,
  tags: readonly string[],
  texts: FieldTexts,
): Record<string, unknown> {
  return {
    ...(label !== undefined && label !== row.label && { label: { from: row.label, to: label } }),
    ...(description !== undefined && description !== row.description && { description: true }),
    ...(!hasSameTags(tags, row.tags) && { tags: { from: row.tags, to: tags } }),
    ...(texts.size > 0 && { fields: [...texts.keys()] }),
  };
}

/** Outside the transaction: a generator may take its time. */
async function toChangedTexts(
  registry: ConnectorRegistry,
  connectorKey: string,
  { values, regenerate }: RowChange,
): Promise<FieldTexts> {
  if (Object.keys(values).length + regenerate.length === 0) return new Map();
  const connector = findConnector(registry, connectorKey);
  const texts = new Map(toFieldTexts(connector.configFields, values));
  const locked = connector.configFields.filter((field) => field.locked && texts.has(field.key));
  if (locked.length > 0) {
    throw toBadRequest(
      locked.map(({ key }) => ({ path: key, message: "is locked once the row exists" })),
    );
  }
  for (const key of regenerate) {
    const field = connector.configFields.find((candidate) => candidate.key === key);
    if (field?.regen !== true || connector.generate === undefined) {
      throw toBadRequest([{ path: key, message: "has no generator; give it a value instead" }]);
    }
    texts.set(key, await connector.generate(key));
  }
  return texts;
}
