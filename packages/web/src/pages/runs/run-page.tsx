import type { RunStatus } from "@hub/contract/run.ts";
import type { HistoryRun } from "@hub/contract/run-history.ts";
import { Button } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { StatusBadge } from "../../ui/badges/status-badge.tsx";
import { copyText } from "../../ui/controls/copy-button.tsx";
import { CopyableId } from "../../ui/controls/copyable-id.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import { formatDuration, formatExact } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../workflow-parts/runs/run-link.tsx";
import { toCurl } from "./call-to-curl.ts";

const runningMs = 1000;

/** One call: who, when, how it ended, what was sent and what came back. */
export function RunPage() {
  const { run: id } = useParams({ from: "/manager/runs/$run" });
  const run = useApi("GET /manager/api/runs/{run}", { params: { run: id } });
  // A running call is read again until it has ended.
  const isRunning = run.data?.status === "running";
  useApi(
    "GET /manager/api/runs/{run}",
    { params: { run: id } },
    { isOn: isRunning, everyMs: runningMs },
  );
  const found = run.data;
  return (
    <Page
      title={found?.operation_key ?? "Call"}
      parent={<Link to="/manager/runs">Calls</Link>}
      lead={found && <RowLink run={found} />}
      actions={found && <RunActions run={found} />}
    >
      <Loaded of={run} what="The call" skeleton={<PageSkeleton lines={8} />}>
        {(loaded) => (
          <>
            <RunProperties run={loaded} />
            <RunPayload run={loaded} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function RunActions({ run }: { run: HistoryRun }) {
  const { user, isAdmin, mcpUrl } = useMe();
  const toast = useToast();
  const navigate = useNavigate();
  const refreshes = [
    "GET /manager/api/runs/{run}",
    "GET /manager/api/runs",
    "GET /profile/api/runs",
  ] as const;
  const retry = useChange("POST /manager/api/runs/{run}/retry", {
    refreshes,
    onDone({ run_id }) {
      setAsking(false);
      void navigate({ to: "/manager/runs/$run", params: { run: run_id } });
    },
  });
  const cancel = useChange("POST /manager/api/runs/{run}/cancel", {
    refreshes,
    onDone: () => toast({ text: "The call is being stopped." }),
  });
  const [isAsking, setAsking] = useState(false);
  const isOwn = run.user_id === user.id;
  const params = { params: { run: run.id } };
  const curl = run.payload_shown ? toCurl(run, mcpUrl) : null;
  const failure = retry.error ?? cancel.error;
  return (
    <>
      {failure !== null && <span role="alert">{failure.message}</span>}
      {curl !== null && (
        <Button
          variant="default"
          leftSection={<Icon name="copy" />}
          onClick={() =>
            void copyText(curl).then(() =>
              toast({ text: "Copied. Put your token in the place of YOUR_TOKEN." }),
            )
          }
        >
          Copy as curl
        </Button>
      )}
      {run.status === "running" && (isOwn || isAdmin) && (
        <Button
          variant="default"
          leftSection={<Icon name="stop" />}
          loading={cancel.isPending}
          onClick={() => cancel.run(params)}
        >
          Cancel
        </Button>
      )}
      <EditAndRun run={run} />
      {run.status !== "running" && isOwn && run.connector_id !== null && !run.request_cut && (
        <Button leftSection={<Icon name="refresh" />} onClick={() => setAsking(true)}>
          Retry
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Call ${run.operation_key} again?`}
        action="Call again"
        isBusy={retry.isPending}
        onConfirm={() => retry.run(params)}
        onClose={() => setAsking(false)}
      >
        The hub sends the same request again, with every check. What the operation changes, it may
        change a second time.
      </ConfirmDialog>
    </>
  );
}

/** The row of the call, which may be deleted or no longer visible. */
function useRow({ connector_id: row }: HistoryRun) {
  const input = { params: { row: row ?? "" }, query: { operations: "none" as const } };
  return useApi("GET /manager/api/rows/{row}", input, { isOn: row !== null }).data;
}

function RowLink({ run }: { run: HistoryRun }) {
  const row = useRow(run);
  if (row === undefined) return run.row_label;
  return (
    <Link to="/manager/connectors/$key/$row" params={{ key: row.connector, row: row.id }}>
      {row.label}
    </Link>
  );
}

/** Opens the test panel with the request of this call. Only admins test. */
function EditAndRun({ run }: { run: HistoryRun }) {
  const { isAdmin } = useMe();
  const row = useRow(run);
  const found = useApi(
    "GET /manager/api/rows/{row}/operations",
    { params: { row: row?.id ?? "" }, query: { key: run.operation_key, limit: 1 } },
    { isOn: isAdmin && row !== undefined },
  );
  const isKnown = row !== undefined && found.data?.total === 1;
  if (!isAdmin || !isKnown || run.request_cut) return null;
  return (
    <Button
      variant="default"
      leftSection={<Icon name="play" />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/manager/connectors/$key/$row"
          params={{ key: row.connector, row: row.id }}
          search={{ op: run.operation_key, prefill: run.id }}
        />
      )}
    >
      Edit and call
    </Button>
  );
}

function RunProperties({ run }: { run: HistoryRun }) {
  return (
    <Card title="Outcome">
      {run.error_msg !== null && <p>{run.error_msg}</p>}
      <Properties
        items={[
          ["Status", <StatusBadge key="status" status={run.status} />],
          ["Error", run.error_code && <code>{run.error_code}</code>],
          ["HTTP status", run.http_status],
          ["Time taken", run.latency_ms === null ? null : formatDuration(run.latency_ms)],
          ["Started", <Moment key="started" at={run.started_at} />],
          ["Ended", run.ended_at && <Moment at={run.ended_at} />],
          ["User", run.user ?? "Deleted user"],
          [
            "Source",
            { mcp: "A client", test: "The test panel", retry: "A retry", workflow: "A workflow" }[
              run.source
            ],
          ],
          ["Workflow run", run.workflow_run_id && <WorkflowLineage run={run} />],
          ["Client", run.user_agent],
          ["Address", run.ip_address],
          ["Id", <CopyableId key="id" what="the id" id={run.id} />],
          ["Retry of", run.parent_run_id && <RunLink id={run.parent_run_id} />],
          [
            "Retried as",
            run.retries.length > 0 && run.retries.map((id) => <RunLink key={id} id={id} />),
          ],
        ]}
      />
    </Card>
  );
}

/** Why a call has no response. The message of an error is in its outcome. */
const noAnswer = {
  running: "There is no answer yet.",
  success: "There was no answer.",
  error: "The call failed, so it has no result. The outcome says why.",
  denied: "The hub refused the call, so nothing was sent.",
  cancelled: "The call was cancelled before it had a result.",
} satisfies Record<RunStatus, string>;

function RunPayload({ run }: { run: HistoryRun }) {
  if (!run.payload_shown) {
    return (
      <Card title="Request and response">
        <p>Only the user who made the call and admins can see them.</p>
      </Card>
    );
  }
  return (
    <>
      <Card title="Request">
        {run.request_cut && <p>The request was too large to be recorded in full.</p>}
        <JsonTree value={run.request} label="Request" />
      </Card>
      <Card title="Response">
        {run.response === null ? (
          <p>{noAnswer[run.status]}</p>
        ) : (
          <JsonTree value={run.response} label="Response" />
        )}
      </Card>
    </>
  );
}

/** The run of the workflow whose step made the call. */
function WorkflowLineage({ run }: { run: HistoryRun }) {
  const { workflow_id: workflow, workflow_run_id: id } = run;
  if (id === null) return null;
  const text = <code>{id.slice(-12)}</code>;
  if (workflow === null) return text;
  return (
    <WorkflowRunLink workflow={workflow} run={id}>
      {text}
    </WorkflowRunLink>
  );
}

function RunLink({ id }: { id: string }) {
  return (
    <Link to="/manager/runs/$run" params={{ run: id }}>
      <code>{id.slice(-12)}</code>
    </Link>
  );
}

function Moment({ at }: { at: string }) {
  return (
    <>
      <TimeAgo at={at} /> · {formatExact(at)}
    </>
  );
}
