import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import { Link } from "@tanstack/react-router";
import { Properties } from "../../../ui/page/properties.tsx";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import styles from "../approvals.module.css";
import { describeAsked } from "./describe-asked.ts";

/** Where the question comes from, who was asked, and until when it waits. */
export function Facts({ approval }: { approval: WorkflowApprovalDetail }) {
  const { state, version, workflow_id: workflow } = approval;
  const asked = describeAsked(approval.asked_in_chat);
  return (
    <Properties
      items={[
        [
          "Workflow",
          approval.sees_workflow ? (
            <Link key="workflow" to="/workflows/$workflow" params={{ workflow }}>
              <bdi>{approval.workflow_name}</bdi>
            </Link>
          ) : (
            <bdi key="workflow">{approval.workflow_name}</bdi>
          ),
        ],
        ["Version", version === null ? "Draft" : String(version)],
        [
          "Run",
          // An approver who does not see the workflow would get to a page that says that there is none.
          approval.sees_workflow && (
            <WorkflowRunLink key="run" workflow={workflow} run={approval.run_id}>
              Open the run
            </WorkflowRunLink>
          ),
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
  );
}

function describeApprovers({ approvers: { users, tags } }: WorkflowApprovalDetail): string {
  return [...users, ...tags.map((tag) => `users with the tag ${tag}`)].join(", ");
}
