import type { RunStatus } from "@hub/contract/run.ts";
import type { HistoryRun } from "@hub/contract/run-history.ts";
import { StatusBadge } from "../../ui/badges/status-badge.tsx";
import { CopyableId } from "../../ui/controls/copyable-id.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import { describeSource, toCaller, toMaker } from "../../ui/text/call-names.ts";
import { formatDuration, formatExact } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../workflow-parts/runs/run-link.tsx";
import { CallLink, type OpenCall } from "./call-link.tsx";
import { findAdvice } from "./error-advice.ts";
import styles from "./run-details.module.css";

/** How a call ended, who made it, when and from where. */
export function RunProperties({ run, onOpen }: { run: HistoryRun; onOpen?: OpenCall }) {
  const advice = findAdvice(run.error_code);
  return (
    <Card title="Outcome">
      {run.error_msg !== null && <p className={styles.message}>{run.error_msg}</p>}
      {advice !== null && <p className={styles.advice}>{advice}</p>}
      <Properties
        items={[
          ["Status", <StatusBadge key="status" status={run.status} />],
          ["Error", run.error_code && <code>{run.error_code}</code>],
          ["HTTP status", run.http_status],
          ["Time taken", run.latency_ms === null ? null : formatDuration(run.latency_ms)],
          ["Started", <Moment key="started" at={run.started_at} />],
          ["Ended", run.ended_at && <Moment at={run.ended_at} />],
          ["User", toCaller(run)],
          ["Account", run.account],
          ["Source", describeSource(run)],
          ["Workflow run", run.workflow_run_id && <WorkflowLineage run={run} />],
          ["Client", run.client],
          ["User agent", run.user_agent !== run.client && run.user_agent],
          ["Address", run.ip_address],
          ["Id", <CopyableId key="id" what="the id" id={run.id} />],
          ["Made by", toMaker(run) && <Maker run={run} onOpen={onOpen} />],
          ["Retry of", run.parent_run_id && <RunLink id={run.parent_run_id} onOpen={onOpen} />],
          [
            "Retried as",
            run.retries.length > 0 &&
              run.retries.map((id) => <RunLink key={id} id={id} onOpen={onOpen} />),
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

/** What a call sent and what came back, for those who may see it. */
export function RunPayload({ run }: { run: HistoryRun }) {
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
        {run.request_cut && <p>{describeCut(run)}</p>}
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

/** Of a message or a script only the outline is kept, because each of its calls has a record. */
function describeCut({ calls }: HistoryRun): string {
  return calls === undefined
    ? "The request was too large to be recorded in full."
    : "What each call sent is in the record of that call.";
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

/** The message or script that made the call, as a link for those who may know which one it is. */
function Maker({ run, onOpen }: { run: HistoryRun; onOpen: OpenCall | undefined }) {
  const { id } = run.cause;
  if (id === null) return toMaker(run);
  return (
    <CallLink id={id} onOpen={onOpen}>
      {toMaker(run)}
    </CallLink>
  );
}

function RunLink({ id, onOpen }: { id: string; onOpen: OpenCall | undefined }) {
  return (
    <CallLink id={id} onOpen={onOpen}>
      <code>{id.slice(-12)}</code>
    </CallLink>
  );
}

function Moment({ at }: { at: string }) {
  return (
    <>
      <TimeAgo at={at} /> · {formatExact(at)}
    </>
  );
}
