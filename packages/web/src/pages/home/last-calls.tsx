import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { RunsTable, RunsTableSkeleton } from "../runs/runs-table.tsx";

const lastRuns = 8;
const everyMs = 15_000;

/** The last calls: of all users for admins, one's own for others. */
export function useLastCalls() {
  const { isAdmin } = useMe();
  const route = isAdmin ? "GET /manager/api/runs" : "GET /profile/api/runs";
  return useApi(route, { query: { limit: lastRuns } }, { everyMs });
}

export function LastCalls({ of }: { of: ReturnType<typeof useLastCalls> }) {
  const { isAdmin } = useMe();
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
      <Loaded of={of} what="The last calls" skeleton={<RunsTableSkeleton lines={lastRuns} />}>
        {(answer) =>
          answer.runs.length === 0 ? (
            <p>No calls yet. They appear here when a client calls an operation.</p>
          ) : (
            <RunsTable rows={answer.runs} />
          )
        }
      </Loaded>
    </Card>
  );
}
