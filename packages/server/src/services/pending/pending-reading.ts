import type { Caller } from "../../caller.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { pickExcluded } from "../../operations/rules/list-excluded.ts";
import type { ChangeRecord } from "../../store/changes-table.ts";
import type { PendingMark } from "../../store/pending/pending-lists.ts";
import type { PendingReader } from "../../store/pending/pending-readers.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";

type Reading = { userId: string; role: Caller["role"]; tags: Iterable<string> };

export function toPendingReader({ userId, role, tags }: Reading): PendingReader {
  const isAdmin = role === "admin";
  return {
    userId,
    tags: [EVERYONE_TAG, ...tags],
    alsoAs: isAdmin && userId !== LOCAL_ADMIN_ID ? LOCAL_ADMIN_ID : null,
  };
}

/** A call as the exclusion of persons since its question reads it. */
export function toAskedRule({ rowId, decider, createdAt, excluded }: PendingMark) {
  return {
    rowId,
    decide:
      decider.kind === "tags"
        ? ({ by: "tags", tags: decider.tags } as const)
        : ({ by: "caller" } as const),
    askedAt: createdAt,
    excluded,
  };
}

/** Whether the exclusion of persons since the question says something about a call. */
export function needsExcluded({ state, decider }: PendingMark): boolean {
  return state === "open" && decider.kind === "tags";
}

export function findExcludedSince(changes: readonly ChangeRecord[], call: PendingMark): string[] {
  return needsExcluded(call) ? pickExcluded(changes, toAskedRule(call)) : [];
}
