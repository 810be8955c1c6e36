import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { approvalCommentCharsMax } from "@hub/contract/workflow-approval.ts";
import { Alert, Button, Group, Textarea } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../workflow-parts/runs/run-link.tsx";
import { workflowRunRoutes } from "../../workflow-parts/workflow-routes.ts";
import { approvalStateNames } from "./approval-filters.ts";
import { ApprovalState } from "./approval-state.tsx";
import styles from "./approvals.module.css";
import { describeAsked } from "./describe-asked.ts";
import { WillRun } from "./will-run.tsx";

/** Another approver may decide meanwhile. */
const everyMs = 4_000;
const parent = <Link to="/approvals">Approvals</Link>;

/** What a run asks: the question, what follows, and the decision. */
export function ApprovalPage() {
  const { approval: id } = useParams({ from: "/approvals/$approval" });
  const [isWatched, setWatched] = useState(true);
  const approval = useApi(
    "GET /manager/api/approvals/{approval}",
    { params: { approval: id } },
    isWatched ? { everyMs } : {},
  );
  const isPending = approval.data === undefined || approval.data.state === "pending";
  if (isWatched !== isPending) setWatched(isPending);
  return (
    <LoadedPage
      of={approval}
      what="The approval"
      title="Approval"
      parent={parent}
      skeleton={<PageSkeleton lines={8} />}
    >
      {(found) => <Found key={id} approval={found} />}
    </LoadedPage>
  );
}

function Found({ approval }: { approval: WorkflowApprovalDetail }) {
  const { state, title, details, version } = approval;
  const asked = describeAsked(approval.asked_in_chat);
  return (
    <Page title={title} parent={parent} badge={<ApprovalState state={state} />}>
      <div className={styles.facts}>
        <Properties
          items={[
            [
              "Workflow",
              <Link
                key="workflow"
                to="/workflows/$workflow"
                params={{ workflow: approval.workflow_id }}
              >
                <bdi>{approval.workflow_name}</bdi>
              </Link>,
            ],
            ["Version", version === null ? "Draft" : String(version)],
            [
              "Run",
              <WorkflowRunLink key="run" workflow={approval.workflow_id} run={approval.run_id}>
                Open the run
              </WorkflowRunLink>,
            ],
            ["Started by", <bdi key="by">{approval.started_by}</bdi>],
            ["Edited by", <bdi key="edited">{approval.edited_by.join(", ")}</bdi>],
            ["Asked", <TimeAgo key="asked" at={approval.created_at} />],
            [
              state === "pending" ? "Expires" : "Would expire",
              <TimeAgo key="expires" at={approval.expires_at} />,
            ],
            ["Approvers", <bdi key="approvers">{describeApprovers(approval)}</bdi>],
            [
              "Asked in",
              asked.length > 0 && (
                <ul key="in" className={styles.asked}>
                  {asked.map((line) => (
                    <li key={line}>
                      <bdi>{line}</bdi>
                    </li>
                  ))}
                </ul>
              ),
            ],
          ]}
        />
      </div>
      {details !== "" && (
        <Card title="Details">
          <p className={styles.details}>{details}</p>
        </Card>
      )}
      <Card title={state === "pending" ? "What runs if you approve" : "What was asked about"}>
        <WillRun {...approval} />
      </Card>
      <Decision approval={approval} />
    </Page>
  );
}

function describeApprovers({ approvers: { users, tags } }: WorkflowApprovalDetail): string {
  return [...users, ...tags.map((tag) => `users with the tag ${tag}`)].join(", ");
}

function Decision({ approval }: { approval: WorkflowApprovalDetail }) {
  const { id, state, hash, may_decide: mayDecide, refusal } = approval;
  const { user } = useMe();
  const toast = useToast();
  const [comment, setComment] = useState("");
  const decide = useChange("POST /manager/api/approvals/{approval}/decide", {
    refreshes: approvalRoutes,
    onDone: (decided) =>
      toast({ text: `${approvalStateNames[decided.state]}. The run goes on along it.` }),
  });
  const send = (decision: "approved" | "denied") =>
    decide.run({
      params: { approval: id },
      body: { decision, hash, ...(comment.trim() !== "" && { comment: comment.trim() }) },
    });
  if (state !== "pending") return <Outcome approval={approval} self={user.email} />;
  return (
    <Card title="Your decision">
      {mayDecide ? (
        <>
          <Textarea
            label="Comment"
            description="For the list of approvals. Later steps of the workflow can read it, too."
            inputWrapperOrder={["label", "input", "error", "description"]}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={approvalCommentCharsMax}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          <div className={styles.failure}>
            <Failure of={decide.error} />
          </div>
          <Group gap="sm" mt="md">
            <Button loading={decide.isPending} onClick={() => send("approved")}>
              Approve
            </Button>
            <Button
              variant="default"
              color="red"
              disabled={decide.isPending}
              onClick={() => send("denied")}
            >
              Deny
            </Button>
          </Group>
        </>
      ) : (
        <Alert color="yellow" title="You may not decide this">
          {refusal ?? "Another approver must decide."}
        </Alert>
      )}
    </Card>
  );
}

/** How it ended. If that happens while the page is open, it is said. */
function Outcome({ approval, self }: { approval: WorkflowApprovalDetail; self: string }) {
  const { state, decided_by: by, decided_at: at, comment, refusal } = approval;
  const who = by === self ? "You have" : `${by} has`;
  return (
    <Card title="The decision">
      <div role="status">
        {state === "approved" || state === "denied" ? (
          <p>
            <bdi>{who}</bdi>
            {` ${state} it `}
            {at !== null && <TimeAgo at={at} />}.
          </p>
        ) : (
          <p>{refusal ?? "It waits for no decision any more."}</p>
        )}
      </div>
      {comment !== null && <blockquote className={styles.details}>{comment}</blockquote>}
    </Card>
  );
}

const approvalRoutes = [
  "GET /manager/api/approvals",
  "GET /manager/api/approvals/{approval}",
  ...workflowRunRoutes,
] as const;
