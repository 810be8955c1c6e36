import { useParams } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { ApprovalCard } from "./card/approval-card.tsx";
import { CardSkeleton } from "./card/card-skeleton.tsx";
import { useDecisionPage } from "./queue/use-decision-page.tsx";
import { usePrefetchDecision } from "./queue/use-prefetch-decision.ts";

/** Another approver may decide meanwhile. */
const everyMs = 4_000;

/** What a run of a workflow asks. */
export function ApprovalPage() {
  const { approval: id } = useParams({ from: "/approvals/$approval" });
  const approval = useApi(
    "GET /manager/api/approvals/{approval}",
    { params: { approval: id } },
    { everyMs: (last) => (last === undefined || last.state === "pending" ? everyMs : undefined) },
  );
  const { data } = approval;
  const page = useDecisionPage(
    { kind: "approval", id },
    data === undefined ? "" : `${data.hash} ${data.state}`,
  );
  usePrefetchDecision(page.following);
  // Its workflow was deleted, or the user is no approver any more.
  const isGone = approval.error?.code === "not_found";
  return (
    <>
      {page.bar}
      <LoadedPage
        of={isGone ? { ...approval, data: undefined } : approval}
        what="The approval"
        title="Approval"
        skeleton={<CardSkeleton />}
      >
        {(found) => <ApprovalCard key={id} approval={found} {...page.card} />}
      </LoadedPage>
      {page.dialog}
    </>
  );
}
