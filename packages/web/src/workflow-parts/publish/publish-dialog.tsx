import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { Waiting } from "../../ui/page/waiting.tsx";
import { Address } from "../webhook-address.tsx";
import { workflowRoutes } from "../workflow-routes.ts";
import styles from "../workflows.module.css";
import {
  ChangesPart,
  DisabledPart,
  hasTrigger,
  OpenedPart,
  ProblemsPart,
  useDifference,
  useOpened,
} from "./publish-parts.tsx";

type Props = {
  workflow: WorkflowDetail;
  /** Shows the trigger or node of a problem. */
  onGo: (id: string) => void;
  onClose: () => void;
};

/** Publishes the draft. If requests start it, the dialog then shows how to send one. */
export function PublishDialog(props: Props) {
  const [published, setPublished] = useState<number | null>(null);
  const { workflow, onClose } = props;
  const isDone = published !== null;
  return (
    <Dialog
      onClose={onClose}
      title={isDone ? `Version ${published} is published` : `Publish ${workflow.name}?`}
      size="xl"
    >
      {isDone ? (
        <LiveWebhooks workflow={workflow.id} onClose={onClose} />
      ) : (
        <Check {...props} onPublished={setPublished} />
      )}
    </Dialog>
  );
}

/** The webhooks of the published version, each with a command that sends a request. */
function LiveWebhooks({ workflow, onClose }: { workflow: string; onClose: () => void }) {
  const params = { workflow };
  const webhooks = useApi("GET /manager/api/workflows/{workflow}/webhooks", { params });
  return (
    <Loaded of={webhooks} what="The webhooks" skeleton={<PageSkeleton lines={3} />}>
      {({ webhooks: found }) => (
        <Stack gap="md">
          {found.map(
            ({ trigger_id: id, label, live }) =>
              live !== null && <Address key={id} name={label ?? id} address={live} isOpen />,
          )}
          <p>
            <Link
              to="/workflows/$workflow"
              params={{ workflow }}
              search={{ tab: "webhooks" as const }}
            >
              The tab Webhooks
            </Link>
            {" shows this again, and what each request was answered."}
          </p>
          <Group justify="flex-end">
            <Button onClick={onClose} ref={focusIt}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Loaded>
  );
}

type CheckProps = Props & { onPublished: (version: number) => void };

/** Shows the problems of the draft, what changes, and what it opens to others, before Publish. */
function Check({ workflow, onGo, onPublished, onClose }: CheckProps) {
  const toast = useToast();
  const { id, name, draft } = workflow;
  const revision = draft?.revision ?? 0;
  const [note, setNote] = useState("");
  const params = { workflow: id };
  const check = useChange("POST /manager/api/workflows/{workflow}/validate", { refreshes: [] });
  const { run: validate } = check;
  // Again when another user has changed the draft.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision is what triggers it.
  useEffect(() => validate({ params, body: {} }), [id, revision]);
  const publish = useChange("POST /manager/api/workflows/{workflow}/publish", {
    refreshes: workflowRoutes,
    onDone(answer) {
      if (hasWebhook(answer.body)) return onPublished(answer.version);
      toast({ text: `Version ${answer.version} of ${name} is published.` });
      onClose();
    },
  });
  const problems = check.data?.problems;
  const difference = useDifference(workflow);
  const opened = useOpened(workflow);
  // All comes at once, so that nothing moves under the pointer.
  if (
    (problems === undefined && check.error === null) ||
    difference.isLoading ||
    opened.isLoading
  ) {
    return (
      <Waiting what="What the draft changes">
        <PageSkeleton lines={12} />
      </Waiting>
    );
  }
  const hasErrors = problems?.some(({ severity }) => severity === "error") ?? false;
  return (
    <Stack gap="md">
      <ProblemsPart
        workflow={workflow}
        check={check}
        onGo={onGo}
        onRetry={() => validate({ params, body: {} })}
      />
      <DisabledPart workflow={workflow} />
      <ChangesPart workflow={workflow} difference={difference} />
      <OpenedPart workflow={workflow} opened={opened} />
      <div className={styles.foot}>
        <TextInput
          label="Note"
          description="What changed and why, for the list of versions."
          value={note}
          maxLength={1000}
          ref={focusIt}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {hasErrors && (
          <Alert color="red">Correct the errors first. A draft with errors is not published.</Alert>
        )}
        <Failure of={publish.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={problems === undefined || hasErrors}
            loading={publish.isPending}
            onClick={() => publish.run({ params, body: { revision, note } })}
          >
            Publish
          </Button>
        </Group>
      </div>
    </Stack>
  );
}

const focusIt = (control: HTMLElement | null) => control?.focus({ preventScroll: true });

function hasWebhook(body: unknown): boolean {
  return hasTrigger(body, ({ type }) => type === "webhook");
}
