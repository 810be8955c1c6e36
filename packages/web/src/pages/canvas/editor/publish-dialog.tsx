import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Failure } from "../../../ui/failure.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { PageSkeleton } from "../../../ui/page-skeleton.tsx";
import { useToast } from "../../../ui/toasts.tsx";
import { workflowRoutes } from "../../../workflows/workflow-routes.ts";
import { ProblemList } from "./problem-list.tsx";
import { listItemProblems } from "./problems.ts";
import type { DraftEditor } from "./use-draft.ts";

type Props = {
  workflow: WorkflowDetail;
  draft: DraftEditor;
  onGo: (id: string) => void;
  onClose: () => void;
};

/** Publishes the draft, after its problems and what changes. */
export function PublishDialog(props: Props) {
  const { draft, onClose } = props;
  const [isSaved, setSaved] = useState<boolean | null>(null);
  // What is published is what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens.
  useEffect(() => void draft.flush().then(setSaved), []);
  return (
    <Modal opened onClose={onClose} title="Publish" size="lg">
      {isSaved === null && <PageSkeleton lines={4} />}
      {isSaved === false && (
        <Alert color="red" role="alert">
          The draft is not saved, so it cannot be published. Close this and look why.
        </Alert>
      )}
      {isSaved === true && <Review {...props} />}
    </Modal>
  );
}

function Review({ workflow, draft, onGo, onClose }: Props) {
  const { id, tags, version } = workflow;
  const revision = draft.revision.current;
  const toast = useToast();
  const [note, setNote] = useState("");
  const { data: checked, error } = useApi("GET /manager/api/workflows/{workflow}/opened", {
    params: { workflow: id },
  });
  const difference = useApi(
    "GET /manager/api/workflows/{workflow}/diff",
    { params: { workflow: id }, query: {} },
    { isOn: version > 0 },
  );
  const publish = useChange("POST /manager/api/workflows/{workflow}/publish", {
    refreshes: workflowRoutes,
    onDone: (published) => {
      draft.onPublished(published);
      toast({ text: `Version ${published.version} is published.` });
      onClose();
    },
  });
  const { check } = draft;
  useEffect(() => void check().catch(() => {}), [check]);
  const problems = listItemProblems(draft.checked);
  const errors = problems.filter(({ severity }) => severity === "error");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (errors.length > 0) return;
    publish.run({
      params: { workflow: id },
      body: { revision, ...(note.trim() !== "" && { note: note.trim() }) },
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {problems.length > 0 && (
          <section aria-label="Problems">
            <p>
              {errors.length > 0
                ? "These errors stop the publication. Choose one to go to it."
                : "These warnings do not stop the publication."}
            </p>
            <ProblemList
              body={draft.body}
              problems={problems}
              onGo={(item) => {
                onClose();
                onGo(item);
              }}
            />
          </section>
        )}
        <section aria-label="What changes">
          {version === 0 ? (
            <p>This is the first version. From then on its triggers start runs.</p>
          ) : (
            <Loaded of={difference} what="The difference" skeleton={<PageSkeleton lines={2} />}>
              {({ difference: { sentences } }) => (
                <>
                  <p>
                    {sentences.length === 0
                      ? `The draft is the same as version ${version}.`
                      : `Compared with version ${version}:`}
                  </p>
                  <ul>
                    {sentences.map((sentence) => (
                      <li key={sentence}>{sentence}</li>
                    ))}
                  </ul>
                </>
              )}
            </Loaded>
          )}
        </section>
        {tags.length > 0 && checked !== undefined && checked.draft.length > 0 && (
          <Alert color="blue" title={`Users with ${tags.join(", ")} can make the owner call`}>
            <ul>
              {checked.draft.map(({ node, target }) => (
                <li key={node}>
                  {`${node}: `}
                  <code>{target}</code>
                </li>
              ))}
            </ul>
          </Alert>
        )}
        <TextInput
          label="Note"
          description="What this version is about, for the list of versions."
          inputWrapperOrder={["label", "input", "error", "description"]}
          maxLength={1000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Failure of={publish.error ?? error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={publish.isPending} disabled={errors.length > 0}>
            {`Publish version ${version + 1}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
