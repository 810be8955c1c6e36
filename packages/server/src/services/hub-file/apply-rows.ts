import type { HubFile, HubFileRow } from "@hub/contract/hub-file.ts";
import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import { checkRowOwner } from "../../connectors/rows/row-owner.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { deleteRow } from "../rows/manage-rows.ts";
import { type ApplyContext, at, toRowTarget } from "./apply-context.ts";
import { changeFileRow } from "./change-file-row.ts";
import { createFileRow } from "./create-file-row.ts";
import {
  findFileConnector,
  findPresent,
  type PresentRows,
  readPresentRows,
  toNameKey,
} from "./find-file-row.ts";

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
      context.changes.push({
        ...toRowTarget(row, row.id ?? null),
        action: "unchecked",
        fields: [],
      });
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
    const target = toRowTarget({ connector: row.connectorKey, label: row.label }, row.id);
    changes.push({ ...target, action: "delete", fields: [] });
  }
}

/** Returns the row's id. */
async function applyRow(
  context: ApplyContext,
  place: ValuePath,
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
    await changeFileRow(context, place, { given, present, connector });
    return present.id;
  }
  await replaceSeeded(context, given, all);
  return await createFileRow(context, place, given, connector);
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
  const target = toRowTarget({ connector, label: own.label }, own.id);
  changes.push({ ...target, action: "delete", fields: [] });
}
