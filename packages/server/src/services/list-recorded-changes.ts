import { parseJson } from "@hub/connector";
import type { ChangeEntry } from "@hub/contract/change.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import { checkInput, momentSchema } from "../lib/input/check-input.ts";
import { type ChangeRecord, listChanges as listStoredChanges } from "../store/changes-table.ts";
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
  return found.map(toEntry);
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
