import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/card.tsx";
import { CopyableId } from "../../ui/copyable-id.tsx";
import { Properties } from "../../ui/properties.tsx";
import { TagList } from "../../ui/tag-list.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

/** What a workflow is: its version, owner and tags. */
export function WorkflowFacts({ workflow }: { workflow: WorkflowDetail }) {
  const { isAdmin } = useMe();
  const { id, version, draft, owner, tags, run_by: runBy } = workflow;
  return (
    <Card>
      <Properties
        items={[
          ["Version", version === 0 ? "Never published" : `Version ${version} is published`],
          [
            "Draft",
            draft !== null && (
              <>
                {draft.is_published ? "Same as the published version" : "Differs"}
                {", saved "}
                <TimeAgo at={draft.saved_at} />
                {` by ${draft.saved_by.email}`}
              </>
            ),
          ],
          ["Owner", owner?.email ?? null],
          ["Tags", tags.length > 0 && <TagList tags={tags} isWhole isPlain={!isAdmin} />],
          [
            "By hand",
            runBy === "owner"
              ? "Only the owner and admins start it"
              : tags.length > 0 && "Users who share a tag may start it",
          ],
          ["Id", <CopyableId key="id" what="the id" id={id} />],
        ]}
      />
    </Card>
  );
}
