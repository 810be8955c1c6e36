import { findCallPersonRefusal } from "../../services/pending/call-rules.ts";
import { hashCall } from "../../services/pending/hash-call.ts";
import { toPendingReader } from "../../services/pending/pending-reading.ts";
import type { ApprovalMessage } from "../../store/channels/approval-messages.ts";
import type { Db } from "../../store/database/database.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { isNamedFor } from "../../store/pending/pending-lists.ts";
import { findRun } from "../../store/runs/runs-table.ts";
import { findEmails } from "../../store/search/name-lookups.ts";
import type { MessageTopic } from "./message-topic.ts";
import { toCallCard } from "./to-call-card.ts";

/** The call that a message is about, as it is now. Null if it does not exist any more. */
export async function findCallTopic(
  { db, readBaseUrl }: { db: Db; readBaseUrl(): string | null },
  { id, subjectId, hash }: ApprovalMessage,
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
      const emails = await findEmails(db, [call.userId]);
      const run = call.runId === null ? null : await findRun(db, call.runId);
      const user = emails.get(call.userId) ?? "the local admin";
      return toCallCard(id, { ...call, user, runStatus: run?.status ?? null }, readBaseUrl());
    },
  };
}
