import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert, Button, Group, Stack, TagsInput } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { OpenedList } from "../../../workflow-parts/publish/opened-list.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";

/** The tags, with what new ones open to others before they are given. */
export function TagsCard({ workflow }: { workflow: WorkflowDetail }) {
  const { user, isAdmin } = useMe();
  const toast = useToast();
  const known = useApi("GET /admin/api/tags", {}, { isOn: isAdmin });
  const [typed, setTyped] = useState<string[] | null>(null);
  const change = useChange("PUT /manager/api/workflows/{workflow}/tags", {
    refreshes: workflowRoutes,
    onDone() {
      setTyped(null);
      toast({ text: "The tags are saved." });
    },
  });
  const tags = typed ?? workflow.tags;
  const added = tags.filter((tag) => !workflow.tags.includes(tag));
  const isChanged = tags.toSorted().join() !== workflow.tags.toSorted().join();
  const names = isAdmin ? (known.data?.tags ?? []).map(({ name }) => name) : user.tags;
  return (
    <Card title="Tags">
      <Stack gap="md">
        <TagsInput
          aria-label="Tags"
          description={
            isAdmin
              ? "Users with one of these tags see that the workflow exists and how its runs ended."
              : "Users with one of these tags see that the workflow exists and how its runs ended. You can give tags that you have."
          }
          placeholder={tags.length === 0 ? "No other user sees it" : ""}
          data={[...new Set(["everyone", ...names])]}
          value={tags}
          onChange={setTyped}
          acceptValueOnBlur
        />
        {added.length > 0 && <Opening workflow={workflow} tags={added} />}
        <Failure of={change.error} />
        <Group>
          <Button
            variant="default"
            disabled={!isChanged}
            loading={change.isPending}
            onClick={() => change.run({ params: { workflow: workflow.id }, body: { tags } })}
          >
            Save tags
          </Button>
          {isChanged && (
            <Button variant="subtle" onClick={() => setTyped(null)}>
              Discard
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

function Opening({ workflow, tags }: { workflow: WorkflowDetail; tags: readonly string[] }) {
  const opened = useApi("GET /manager/api/workflows/{workflow}/opened", {
    params: { workflow: workflow.id },
  });
  const who = tags.includes("everyone")
    ? "Every user"
    : `Every user with the tag ${tags.join(" or ")}`;
  if (workflow.run_by === "owner") {
    return <Alert color="blue">{`${who} will see it. Only its owner and admins start it.`}</Alert>;
  }
  return (
    <Alert color="yellow" role="status" title="What this opens">
      <Loaded of={opened} what="The operations" skeleton={<PageSkeleton lines={2} />}>
        {({ published, draft }) => {
          const all = workflow.version === 0 ? draft : published;
          return all.length === 0 ? (
            <p>{`${who} may start it. It calls nothing outside.`}</p>
          ) : (
            <>
              <p>{`${who} may start it, and so make its owner call:`}</p>
              <OpenedList opened={all} />
            </>
          );
        }}
      </Loaded>
    </Alert>
  );
}
