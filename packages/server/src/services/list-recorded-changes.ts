import { parseJson } from "@hub/connector";
import type { ChangeEntry } from "@hub/contract/change.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import { checkInput, momentSchema } from "../lib/input/check-input.ts";
import { type ChangeRecord, listChanges as listStoredChanges } from "../store/changes-table.ts";
import type { Db } from "../store/database/database.ts";
import { countSaves, draftSave } from "../store/draft-saves.ts";
import type { ServiceDeps } from "./service-deps.ts";

const filterSchema = z.strictObject({
  actorId: z.string().optional(),
  /** Such as `row.update`. */
  action: z.string().optional(),
  targetKind: z.string().optional(),
  targetId: z.string().optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  /** Only changes older than this one. */
  before: z.uuid({ error: "must be the id of a change." }).toLowerCase().optional(),
  limit: z
    .int({ error: "must be a whole number." })
    .min(1, { error: "must be at least 1." })
    .max(1000, { error: "must be at most 1000." })
    .default(50),
  /** Saves of a draft that follow each other are one entry. */
  isGrouped: z.boolean().optional(),
});

export type ChangeFilterInput = z.input<typeof filterSchema>;

/** The record of changes, newest first. */
export async function listChanges(
  { store }: Pick<ServiceDeps, "store">,
  input: ChangeFilterInput = {},
): Promise<ChangeEntry[]> {
  const { limit, from, to, ...rest } = checkInput(filterSchema, input);
  const wanted = Object.entries({ ...rest, changedFrom: from, changedBefore: to }).filter(
    ([, value]) => value !== undefined,
  );
  const found = await listStoredChanges(store.db, { limit, ...Object.fromEntries(wanted) });
  const entries = found.map(toEntry);
  return rest.isGrouped
    ? await withSaves(store.db, found, entries, { changedFrom: from })
    : entries;
}

/** Counts the saves that each entry of a draft stands for. */
async function withSaves(
  db: Db,
  found: readonly ChangeRecord[],
  entries: readonly ChangeEntry[],
  span: { changedFrom?: number | undefined },
): Promise<ChangeEntry[]> {
  const counted: ChangeEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const change = found[index];
    const isSave = change !== undefined && change.action === draftSave;
    if (!isSave) {
      counted.push(entry);
      continue;
    }
    const { count, since } = await countSaves(db, change, span);
    counted.push(count === 1 ? entry : { ...entry, saves: { count, since: toTimeText(since) } });
  }
  return counted;
}

function toEntry(change: ChangeRecord): ChangeEntry {
  return {
    id: change.id,
    changed_at: toTimeText(change.changedAt),
    actor_id: change.actorId,
    actor: change.actor,
    via: change.via,
    token_id: change.tokenId,
    ip_address: change.ipAddress,
    action: change.action,
    target_kind: change.targetKind,
    target_id: change.targetId,
    target: change.target,
    // Written by `recordChange`, from an object.
    detail: parseJson(change.detail) as Record<string, unknown>,
  };
}
