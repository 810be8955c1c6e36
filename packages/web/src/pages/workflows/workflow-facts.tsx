import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useMe } from "../../api/use-me.ts";
import { TagList } from "../../ui/badges/tag-list.tsx";
import { CopyableId } from "../../ui/controls/copyable-id.tsx";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import styles from "./workflows.module.css";

/** What a workflow is, in a line: its version, draft, owner and tags. */
export function WorkflowFacts({ workflow }: { workflow: WorkflowDetail }) {
  const { isAdmin } = useMe();
  const { id, version, draft, owner, tags, run_by: runBy } = workflow;
  return (
    <ul className={styles.strip} aria-label="About this workflow">
      <li>
        <strong>{version === 0 ? "Never published" : `Version ${version}`}</strong>
      </li>
      {draft !== null && (
        <li>
          {"Draft saved "}
          <TimeAgo at={draft.saved_at} />
          {" by "}
          <strong>{draft.saved_by.email}</strong>
        </li>
      )}
      {owner !== null && (
        <li>
          {"Runs as "}
          <strong>{owner.email}</strong>
        </li>
      )}
      {tags.length > 0 && (
        <li>
          <TagList tags={tags} isWhole isPlain={!isAdmin} />
        </li>
      )}
      {tags.length > 0 && runBy === "owner" && <li>Only its owner and admins start it by hand</li>}
      <li>
        <CopyableId what="the id" id={id} />
      </li>
    </ul>
  );
}
