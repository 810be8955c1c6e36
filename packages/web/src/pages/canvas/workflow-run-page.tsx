import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { PageError } from "../../ui/page/page-error.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { Waiting } from "../../ui/page/waiting.tsx";
import { RunStateBadge } from "../../workflow-parts/runs/run-state-badge.tsx";
import { readBody } from "./graph/body.ts";
import { RunView } from "./run/run-view.tsx";
import { useShownRun } from "./run/use-shown-run.ts";

const address = "/workflows/$workflow/runs/$run" as const;

/** A run of a workflow on the graph that it ran. */
export function WorkflowRunPage() {
  const { workflow: id, run } = useParams({ from: address });
  const workflow = useApi("GET /manager/api/workflows/{workflow}", { params: { workflow: id } });
  const { detail, shown } = useShownRun(id, run);
  // The draft may have changed since it ran.
  const ran = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}/body",
    { params: { workflow: id, run } },
    { isOn: workflow.data !== undefined && workflow.data.access === "manage" },
  );
  const error = workflow.error ?? detail.error ?? ran.error;
  const parent = <Parents id={id} workflow={workflow.data} />;
  const stored = ran.data?.body;
  const body = useMemo(() => readBody(stored), [stored]);
  if (workflow.data !== undefined && workflow.data.access !== "manage" && shown !== undefined) {
    return (
      <Page title="Run" parent={parent} badge={<RunStateBadge state={shown.run.state} />}>
        <EmptyState icon="lock" title="Only the owner and admins see the steps of a run">
          You see how it ended.
        </EmptyState>
      </Page>
    );
  }
  if (workflow.data === undefined || shown === undefined || stored === undefined) {
    return (
      <Page title="Run" parent={parent}>
        {error === null ? (
          <Waiting what="The run">
            <PageSkeleton lines={8} />
          </Waiting>
        ) : (
          <PageError
            what="The run"
            error={error}
            onRetry={() => {
              for (const query of [workflow, detail, ran]) {
                if (query.error !== null) void query.refetch();
              }
            }}
          />
        )}
      </Page>
    );
  }
  if (body === null) {
    return (
      <Page title="Run" parent={parent}>
        <Alert color="yellow">The draft of this run cannot be drawn.</Alert>
      </Page>
    );
  }
  return <RunView key={run} workflow={workflow.data} body={body} shown={shown} />;
}

function Parents({ id, workflow }: { id: string; workflow: WorkflowDetail | undefined }) {
  return (
    <>
      <Link to="/workflows">Workflows</Link>
      <Link to="/workflows/$workflow" params={{ workflow: id }}>
        {workflow?.name ?? id}
      </Link>
    </>
  );
}
