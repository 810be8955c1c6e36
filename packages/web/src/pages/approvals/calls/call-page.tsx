import { useParams } from "@tanstack/react-router";
import { useApi } from "../../../api/use-api.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { LoadedPage } from "../../../ui/page/loaded-page.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import { CardSkeleton } from "../card/card-skeleton.tsx";
import { useDecisionPage } from "../queue/use-decision-page.tsx";
import { usePrefetchDecision } from "../queue/use-prefetch-decision.ts";
import { CallCard } from "./call-card.tsx";

/** Another approver may decide meanwhile, and an approved call runs soon. */
const everyMs = 4_000;
const watched: ReadonlySet<string> = new Set(["open", "approved", "running"]);

/** A call that waits for a person. */
export function CallPage() {
  const { call: id } = useParams({ from: "/approvals/calls/$call" });
  const call = useApi(
    "GET /manager/api/pending-calls/{call}",
    { params: { call: id } },
    { everyMs: (last) => (last === undefined || watched.has(last.state) ? everyMs : undefined) },
  );
  const { data } = call;
  const page = useDecisionPage(
    { kind: "call", id },
    data === undefined ? "" : `${data.hash} ${data.state}`,
  );
  usePrefetchDecision(page.following);
  // It is for another user, or the user is no approver any more.
  const refusal = call.error?.code === "not_found" ? call.error.message : null;
  return (
    <>
      {page.bar}
      {refusal !== null ? (
        <Page title="Call">
          <EmptyState icon="lock" title="You may not see this call">
            {refusal}
          </EmptyState>
        </Page>
      ) : (
        <LoadedPage of={call} what="The call" title="Call" skeleton={<CardSkeleton />}>
          {(found) => <CallCard key={id} call={found} {...page.card} />}
        </LoadedPage>
      )}
      {page.dialog}
    </>
  );
}
