import { deletedUser, findUserNames } from "../../identity/find-user-names.ts";
import { findCallPersonRefusal } from "../../services/pending/call-rules.ts";
import { hashCall } from "../../services/pending/hash-call.ts";
import { toPendingReader } from "../../services/pending/pending-reading.ts";
import type { ApprovalMessage } from "../../store/channels/approval-messages.ts";
import type { Db } from "../../store/database/database.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { isNamedFor } from "../../store/pending/pending-lists.ts";
import { findRun } from "../../store/runs/runs-table.ts";
import type { MessageTopic } from "./message-topic.ts";
import { toCallCard } from "./to-call-card.ts";

/** The call that a message is about, as it is now. Null if it does not exist any more. */
export async function findCallTopic(
  { db, readBaseUrl }: { db: Db; readBaseUrl(): string | null },
  { id, subjectId, hash }: Pick<ApprovalMessage, "id" | "subjectId" | "hash">,
): Promise<MessageTopic | null> {
  const call = await findPendingCall(db, subjectId);
  if (call === null) return null;
  return {
    state: call.state,
    isOpen: call.state === "open",
    async mayDecide({ id: userId, role, tags }) {
      if (hashCall(call) !== hash) return false;
      const isNamed = await isNamedFor(db, call.id, toPendingReader({ userId, role, tags }));
      const decider = { userId, isAdmin: role === "admin", isNamed, excludedSince: [] };
      return findCallPersonRefusal(call, decider) === null;
    },
    async makeCard() {
      const names = await findUserNames(db, [call.userId]);
      const run = call.runId === null ? null : await findRun(db, call.runId);
      const user = names.get(call.userId) ?? deletedUser;
      return toCallCard(id, { ...call, user, runStatus: run?.status ?? null }, readBaseUrl());
    },
  };
}
