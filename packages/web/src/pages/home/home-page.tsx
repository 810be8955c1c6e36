import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { RunsTable } from "../runs/runs-table.tsx";
import { AdminAttention, OwnAttention } from "./attention.tsx";
import { CallsOverTime } from "./calls-over-time.tsx";
import { FirstCall } from "./first-call.tsx";
import { SampleOffer } from "./sample-offer.tsx";

const lastRuns = 8;
const everyMs = 15_000;

/** What needs attention, what happened lately, and the way to the first call. */
export function HomePage() {
  const { isAdmin, user } = useMe();
  return (
    <Page title={user.name === "" ? "Home" : `Hello, ${user.name}`}>
      <FirstCall />
      {isAdmin && <SampleOffer />}
      {isAdmin ? <AdminAttention /> : <OwnAttention />}
      <CallsOverTime />
      <LastRuns isAdmin={isAdmin} />
    </Page>
  );
}

function LastRuns({ isAdmin }: { isAdmin: boolean }) {
  const route = isAdmin ? "GET /manager/api/runs" : "GET /profile/api/runs";
  const runs = useApi(route, { query: { limit: lastRuns } }, { everyMs });
  return (
    <Card
      title={isAdmin ? "Last calls" : "Your last calls"}
      actions={
        <Button
          variant="subtle"
          size="xs"
          renderRoot={(props) => <Link {...props} to="/manager/runs" />}
        >
          All calls
        </Button>
      }
    >
      <Loaded of={runs} what="The last calls" skeleton={<PageSkeleton lines={5} />}>
        {(answer) =>
          answer.runs.length === 0 ? (
            <p>No calls yet. They appear here when a client calls an operation.</p>
          ) : (
            <RunsTable rows={answer.runs} isOwn={!isAdmin} />
          )
        }
      </Loaded>
    </Card>
  );
}
