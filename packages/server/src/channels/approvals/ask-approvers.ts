import {
  insertApprovalMessages,
  listUntoldApprovals,
  markTold,
  wakeMessages,
} from "../../store/channels/approval-messages.ts";
import { listApproverAccounts } from "../../store/channels/approver-accounts.ts";
import type { Db } from "../../store/database/database.ts";
import { transaction } from "../../store/database/database.ts";
import type { ApprovalRecord } from "../../store/workflow-runs/workflow-approval-records.ts";
import { findApproval } from "../../store/workflow-runs/workflow-approvals-table.ts";
import { findPersonRefusal } from "../../workflows/approvals/approval-rules.ts";

/** Approvals that are looked at in one go. */
const approvalsMax = 50;
/** Chat accounts that are asked for one approval, and read to find them. */
const askedMax = 100;
const accountsMax = 1_000;

/**
 * Stores a message for each chat account of the approvers of new approvals, and wakes the messages of
 * approvals that have ended. Returns how many approvals it looked at.
 */
export async function askApprovers({ db }: { db: Db }): Promise<number> {
  const ids = await listUntoldApprovals(db, approvalsMax);
  for (const id of ids) {
    const approval = await findApproval(db, id);
    if (approval === null) continue;
    const messageIds = Array.from({ length: askedMax }, () => crypto.randomUUID());
    await transaction(db, async (trx) => {
      const { state } = approval;
      // Another server may be faster, and the approval may have ended meanwhile.
      if (!(await markTold(trx, { id, state }))) return;
      if (state !== "pending") return await wakeMessages(trx, { about: "approval", id });
      const accounts = await listApproverAccounts(trx, id, accountsMax);
      const asked = accounts.filter(({ userId }) => mayDecide(approval, userId));
      await insertApprovalMessages(
        trx,
        asked.slice(0, askedMax).map((account, at) => ({
          ...account,
          // There are as many ids as accounts.
          id: messageIds[at] ?? "",
          about: "approval" as const,
          subjectId: id,
          hash: approval.hash,
        })),
      );
    });
  }
  return ids.length;
}

/** Buttons that would be refused are not shown. */
const mayDecide = (approval: ApprovalRecord, userId: string) =>
  findPersonRefusal(approval, { userId, isLocal: false, isApprover: true }) === null;
