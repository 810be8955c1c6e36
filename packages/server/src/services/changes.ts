import { parseJson } from "@hub/connector";
import type { ChangeEntry } from "@hub/contract/change.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import { type ChangeRecord, listChanges } from "../store/changes.ts";
import type { Store } from "../store/open-store.ts";
import { checkInput } from "./check-input.ts";

const filterSchema = z.strictObject({
  actorId: z.string().optional(),
  /** Such as `row.update`. */
  action: z.string().optional(),
  targetKind: z.string().optional(),
  targetId: z.string().optional(),
  /** Only older ones. */
  before: z.uuid({ error: "must be the id of a change." }).toLowerCase().optional(),
  limit: z
    .int({ error: "must be a whole number." })
    .min(1, { error: "must be at least 1." })
    .max(1000, { error: "must be at most 1000." })
    .default(50),
});

export type ChangeFilterInput = z.input<typeof filterSchema>;

/** Verbs on the record of changes. */
export function createChangeVerbs({ store }: { store: Pick<Store, "db"> }) {
  return {
    /** Newest first. */
    async list(input: ChangeFilterInput = {}): Promise<ChangeEntry[]> {
      const { limit, ...rest } = checkInput(filterSchema, input);
      const wanted = Object.entries(rest).filter(([, value]) => value !== undefined);
      return (await listChanges(store.db, { limit, ...Object.fromEntries(wanted) })).map(toEntry);
    },
  };
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
    // Written by the change recorder, from a record.
    detail: parseJson(change.detail) as Record<string, unknown>,
  };
}
