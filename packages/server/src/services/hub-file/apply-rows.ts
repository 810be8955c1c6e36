import type { HubFile, HubFileChange, HubFileRow } from "@hub/contract/hub-file.ts";
import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { checkRowOwner, describeOwner, toRowOwner } from "../../connectors/row-owner.ts";
import type { Place } from "../../lib/yaml/find-place.ts";
import { transaction } from "../../store/database.ts";
import type { RowRecord } from "../../store/row-record.ts";
import { findRow, listRows } from "../../store/rows.ts";
import { setOperationState } from "../../store/states.ts";
import { toTagNames } from "../../store/tags.ts";
import { setChannelSlug } from "../channels.ts";
import { findConnector } from "../find-connector.ts";
import { disableOperation, enableOperation } from "../rows/row-operations.ts";
import { toFieldTexts } from "../rows/row-values.ts";
import { addRow, deleteRow, disableRow, enableRow } from "../rows/rows.ts";
import { setRow } from "../rows/set-row.ts";
import { type ApplyContext, at, compareFields, hasField } from "./apply-context.ts";
import { findReferences, isStored, readValues, toFields } from "./file-row-values.ts";

/** Connectors of which a new hub makes a row of its own. */
const seededConnectors = new Set(["hub", "workflow", `${ownKeyPrefix}workflow`]);

/**
 * Rows by their ids, or by connector and label. Pruning deletes those that the file does not name.
 * `missing` are connectors of plugins that a dry run did not install.
 */
export async function applyRows(
  context: ApplyContext,
  { rows }: Pick<HubFile, "rows">,
  missing: ReadonlySet<string>,
): Promise<void> {
  if (rows === undefined) return;
  const before = await readPresentRows(context);
  checkTwice(context, rows);
  const named = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const place = ["rows", index];
    await at(context, place, async () => {
      if (!missing.has(row.connector)) {
        const id = await applyRow(context, place, row, { before, all: rows });
        if (named.has(id)) throw context.refuse(place, "Another item of rows is the same row.");
        named.add(id);
        return;
      }
      context.changes.push({ ...toTarget(row, row.id ?? null), action: "unchecked", fields: [] });
      if (row.id !== undefined) named.add(row.id.toLowerCase());
    });
  }
  if (context.isPruning) await pruneRows(context, named);
}

/** Throws if two items are the same row. */
function checkTwice({ refuse }: ApplyContext, rows: readonly HubFileRow[]): void {
  const first = new Map<string, number>();
  for (const [index, { id, connector, label }] of rows.entries()) {
    const key = id?.toLowerCase() ?? toNameKey(connector, label);
    const other = first.get(key);
    if (other !== undefined) {
      const place = ["rows", index];
      throw refuse(place, `Items ${other + 1} and ${index + 1} of rows are the same row.`);
    }
    first.set(key, index);
  }
}

async function pruneRows(context: ApplyContext, named: ReadonlySet<string>) {
  const { deps, author, changes } = context;
  for (const row of await listRows(deps.store.db)) {
    const isMade = deps.registry.find(row.connectorKey)?.madeFrom !== undefined;
    if (named.has(row.id) || isMade) continue;
    await deleteRow(deps, author.actor, row.id);
    const target = toTarget({ connector: row.connectorKey, label: row.label }, row.id);
    changes.push({ ...target, action: "delete", fields: [] });
  }
}

/** Returns the row's id. */
async function applyRow(
  context: ApplyContext,
  place: Place,
  given: HubFileRow,
  { before, all }: { before: PresentRows; all: readonly HubFileRow[] },
): Promise<string> {
  const connector = findFileConnector(context, place, given);
  if (connector.madeFrom !== undefined) {
    throw context.refuse(place, `${connector.madeFrom} Take this row out of the file.`);
  }
  const present = findPresent(context, place, given, before);
  if (present !== null) {
    await at(context, place, async () => checkRowOwner(present, connector));
    await changeRow(context, place, { given, present, connector });
    return present.id;
  }
  await replaceSeeded(context, given, all);
  return await createRow(context, place, given, connector);
}

/** Throws for a connector of other code than the file's row is of: it would get the secrets of that row. */
function findFileConnector(
  { deps: { registry }, refuse }: ApplyContext,
  place: Place,
  { connector: key, from }: HubFileRow,
): RegisteredConnector {
  const found = registry.find(key);
  const ownKey = `${ownKeyPrefix}${key}`;
  const isMoved = from === "built-in" && registry.find(ownKey)?.tier === "builtin";
  const advice = isMoved ? `Write connector: ${ownKey}.` : "Take the row out of the file.";
  if (found === null && isMoved) {
    const message = `On this hub the key "${key}" belongs to a plugin. ${advice}`;
    throw refuse([...place, "connector"], message);
  }
  const connector = found ?? findConnector(registry, key);
  const present = toRowOwner(connector);
  if (from === undefined || from === present) return connector;
  throw refuse(
    [...place, "from"],
    `The file's row is of ${describeOwner(from, key)}, and on this hub the key belongs to ${describeOwner(present, key)}. ${advice}`,
  );
}

/** The rows before the file, by id and by what else finds them. Read once: a file may have thousands. */
type PresentRows = {
  byId: ReadonlyMap<string, RowRecord>;
  byName: ReadonlyMap<string, RowRecord[]>;
};

async function readPresentRows({ deps }: ApplyContext): Promise<PresentRows> {
  const rows = await listRows(deps.store.db);
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byName: Map.groupBy(rows, ({ connectorKey, label }) => toNameKey(connectorKey, label)),
  };
}

function toNameKey(connector: string, label: string): string {
  return `${connector} ${label.trim()}`;
}

function findPresent(
  { refuse }: ApplyContext,
  place: Place,
  { id, connector, label }: HubFileRow,
  { byId, byName }: PresentRows,
): RowRecord | null {
  if (id !== undefined) {
    const row = byId.get(id.toLowerCase()) ?? null;
    if (row !== null && row.connectorKey !== connector) {
      const message = `The row with this id is of the connector "${row.connectorKey}". The connector of a row never changes: write another id, or none.`;
      throw refuse([...place, "connector"], message);
    }
    return row;
  }
  const rows = byName.get(toNameKey(connector, label)) ?? [];
  if (rows.length <= 1) return rows[0] ?? null;
  const ids = rows.map((row) => row.id).join(", ");
  throw refuse(
    place,
    `${rows.length} rows have this connector and label. Write id: one of ${ids}.`,
  );
}

/** The own row of a new hub gives way to that of the file, whose id is part of tool ids elsewhere. */
async function replaceSeeded(
  { deps, author, changes }: ApplyContext,
  { id, connector }: HubFileRow,
  all: readonly HubFileRow[],
): Promise<void> {
  if (id === undefined || !seededConnectors.has(connector)) return;
  const named = new Set(all.map((row) => row.id));
  const [own, ...others] = await listRows(deps.store.db, { connectorKey: connector });
  if (own === undefined || others.length > 0 || named.has(own.id)) return;
  await deleteRow(deps, author.actor, own.id);
  const target = toTarget({ connector, label: own.label }, own.id);
  changes.push({ ...target, action: "delete", fields: [] });
}

async function createRow(
  context: ApplyContext,
  place: Place,
  given: HubFileRow,
  connector: RegisteredConnector,
): Promise<string> {
  const { deps, author, changes, notes } = context;
  const { id, label, description, tags, tests, slug, enabled, operations = {} } = given;
  const values = await at(context, [...place, "values"], async () => {
    const read = readValues(context, given, connector);
    // So that a refusal names the line of the value.
    toFieldTexts(connector.configFields, Object.fromEntries(read));
    return read;
  });
  const input = {
    ...{ connector: connector.key, label, values: Object.fromEntries(values) },
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags }),
    ...(tests !== undefined && { tests }),
  };
  const made = await at(context, place, () =>
    addRow(deps, author.actor, input, {
      ...(id !== undefined && { id: id.toLowerCase() }),
      references: findReferences(connector, given),
    }),
  );
  const target = toTarget(given, made.id);
  const shown = { description, tags, tests, slug, enabled };
  const fields = [...compareFields(shown, {}), ...toFields(connector, values)];
  changes.push({ ...target, action: "create", fields });
  const row = await findRow(deps.store.db, made.id);
  if (row === null) throw new Error(`The row ${made.id} disappeared right after it was made.`);
  await setSwitches(context, place, { row, connector, slug, enabled, operations });
  if (made.missing !== null && made.missing.length > 0) {
    notes.push(`The row "${label}" (${made.id}) needs ${made.missing.join(", ")}.`);
  }
  if (connector.discover !== undefined) {
    notes.push(
      `The row "${label}" (${made.id}) brings its own operations: hub bridge discover ${made.id}`,
    );
  }
  return made.id;
}

type PresentRow = { given: HubFileRow; present: RowRecord; connector: RegisteredConnector };

async function changeRow(
  context: ApplyContext,
  place: Place,
  { given, present, connector }: PresentRow,
): Promise<void> {
  const { deps, author, changes } = context;
  const { label, description, tags, tests, slug, enabled, operations = {} } = given;
  const wanted = {
    ...{ label: label.trim(), description, tests, slug, enabled },
    tags: tags === undefined ? undefined : toTagNames(tags).sort(),
  };
  const fields = compareFields(wanted, {
    ...{ label: present.label, description: present.description, slug: present.slug },
    ...{ tests: present.tests, enabled: !present.disabled, tags: [...present.tags].sort() },
  });
  const values = await at(context, [...place, "values"], async () => {
    const read = readValues(context, given, connector);
    const texts = toFieldTexts(connector.configFields, Object.fromEntries(read));
    const references = findReferences(connector, given);
    return read.filter(
      ([key]) =>
        !isStored(context, present, {
          key,
          text: texts.get(key),
          isReference: references.has(key),
        }),
    );
  });
  if (
    values.length > 0 ||
    ["label", "description", "tags", "tests"].some((one) => hasField(fields, one))
  ) {
    await at(context, values.length > 0 ? [...place, "values"] : place, () =>
      setRow(
        deps,
        author.actor,
        present.id,
        {
          ...(hasField(fields, "label") && { label }),
          ...(hasField(fields, "description") && { description }),
          ...(hasField(fields, "tags") && { tags }),
          ...(hasField(fields, "tests") && { tests }),
          values: Object.fromEntries(values),
        },
        { references: findReferences(connector, given) },
      ),
    );
  }
  const switched = Object.entries(operations).filter(
    ([key, to]) => (present.operationStates[key] ?? true) !== to,
  );
  await setSwitches(context, place, {
    ...{ row: present, connector, operations: Object.fromEntries(switched) },
    slug: hasField(fields, "slug") ? slug : undefined,
    enabled: hasField(fields, "enabled") ? enabled : undefined,
  });
  const all = [
    ...fields,
    ...toFields(connector, values, present),
    ...switched.map(([key, to]) => ({ field: `operations.${key}`, from: !to, to, secret: false })),
  ];
  if (all.length > 0) {
    changes.push({ ...toTarget(given, present.id), action: "update", fields: all });
  }
}

type Switches = {
  row: RowRecord;
  connector: RegisteredConnector;
  slug: string | undefined;
  enabled: boolean | undefined;
  operations: Readonly<Record<string, boolean>>;
};

async function setSwitches(
  context: ApplyContext,
  place: Place,
  { row, connector, slug, enabled, operations }: Switches,
): Promise<void> {
  const { deps, author } = context;
  const { actor } = author;
  if (slug !== undefined && slug !== row.slug) {
    await at(context, [...place, "slug"], () => setChannelSlug(deps, actor, row.id, { slug }));
  }
  if (enabled !== undefined && enabled === row.disabled) {
    await (enabled ? enableRow : disableRow)(deps, actor, row.id);
  }
  const known = await deps.registry.loadOperations(deps.store.db, row);
  for (const [operation, to] of Object.entries(operations)) {
    await at(context, [...place, "operations", operation], async () => {
      if (connector.discover !== undefined && !known.has(operation)) {
        await setUnknownOperation(context, row, operation, to);
        return;
      }
      await (to ? enableOperation : disableOperation)(deps, actor, row.id, { operation });
    });
  }
}

/** Of a row that brings its operations: the switch counts once the operation is discovered. */
async function setUnknownOperation(
  { deps, author }: ApplyContext,
  { id, label }: RowRecord,
  operation: string,
  enabled: boolean,
): Promise<void> {
  const stamp = stampChange(author.actor, deps.now());
  await transaction(deps.store.db, async (trx) => {
    await setOperationState(trx, id, operation, enabled, stamp.changedAt);
    const action = enabled ? "operation.enable" : "operation.disable";
    await recordChange(trx, stamp, { action, kind: "row", id, name: label, detail: { operation } });
  });
}

function toTarget(
  { connector, label }: Pick<HubFileRow, "connector" | "label">,
  id: string | null,
): Pick<HubFileChange, "kind" | "name" | "id"> {
  return { kind: "row", name: `${connector} "${label}"`, id };
}
