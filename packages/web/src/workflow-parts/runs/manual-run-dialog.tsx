import type { Workflow } from "@hub/contract/workflow.ts";
import type { WorkflowManualTrigger } from "@hub/contract/workflow-manual.ts";
import { Alert, Group, NativeSelect, Radio, Stack } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { toIssues } from "../../api/to-issues.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { workflowRunRoutes } from "../workflow-routes.ts";
import { DryRunSwitch } from "./dry-run-switch.tsx";
import { EventFields, RunFormEnd, readEvent, type TypedEvent } from "./event-fields.tsx";

type Props = {
  workflow: Pick<Workflow, "id" | "name" | "version" | "draft" | "access">;
  /** Which body is chosen at first. The default is the published one, if there is one. */
  body?: "published" | "draft";
  onStarted: (runId: string) => void;
  onClose: () => void;
};

/** The manual runner: a form by the fields of a manual trigger, or a payload, and Run. */
export function ManualRunDialog({ workflow, body: given, onStarted, onClose }: Props) {
  const { id, version, draft, access } = workflow;
  const isManager = access === "manage";
  const isSame = version > 0 && (draft === null || draft.is_published);
  const [body, setBody] = useState(given ?? (version > 0 ? "published" : "draft"));
  const triggers = useApi("GET /manager/api/workflows/{workflow}/manual", {
    params: { workflow: id },
    query: { body },
  });
  return (
    <Dialog onClose={onClose} title={`Run ${workflow.name}`} size="lg">
      <Stack gap="md">
        {isManager && version > 0 && !isSame && (
          <Radio.Group
            label="What runs"
            value={body}
            onChange={(value) => setBody(value === "draft" ? "draft" : "published")}
          >
            <Group gap="md" mt="xs">
              <Radio value="published" label={`Published version ${version}`} />
              <Radio value="draft" label="Draft" />
            </Group>
          </Radio.Group>
        )}
        {isManager && version === 0 && <div>The workflow is not published, so its draft runs.</div>}
        <Loaded of={triggers} what="The form" skeleton={<PageSkeleton lines={3} />}>
          {({ triggers }) =>
            triggers.length === 0 ? (
              <Alert color="blue">
                {`The ${body === "draft" ? "draft" : "published version"} has no manual trigger, so it cannot be started by hand. `}
                {isManager && "Add one in the editor, or replay a past run."}
              </Alert>
            ) : (
              <RunForm
                key={body}
                workflow={id}
                triggers={triggers}
                isDraft={body === "draft"}
                mayDryRun={isManager}
                onStarted={onStarted}
                onClose={onClose}
              />
            )
          }
        </Loaded>
      </Stack>
    </Dialog>
  );
}

type FormProps = {
  workflow: string;
  triggers: readonly WorkflowManualTrigger[];
  isDraft: boolean;
  /** Whether the user may make dry runs: the owner and admins may. */
  mayDryRun: boolean;
  onStarted: (runId: string) => void;
  onClose: () => void;
};

const nothing: TypedEvent = { draft: {}, payload: "{}" };

function RunForm({ workflow, triggers, isDraft, mayDryRun, onStarted, onClose }: FormProps) {
  const [isDryRun, setDryRun] = useState(false);
  const [chosen, setChosen] = useState(triggers[0]?.id ?? "");
  const [events, setEvents] = useState<Readonly<Record<string, TypedEvent>>>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const start = useChange("POST /manager/api/workflows/{workflow}/runs", {
    refreshes: workflowRunRoutes,
    onDone: ({ run_id: id }) => onStarted(id),
  });
  const form = useRef<HTMLFormElement>(null);
  // The dialog opened before its form was loaded.
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);
  const trigger = triggers.find(({ id }) => id === chosen);
  if (trigger === undefined) return null;
  const { id, takes_fields: takesFields } = trigger;
  const groups = takesFields ? trigger.groups : null;
  const event = events[id] ?? nothing;
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    const call = readEvent(groups, event);
    setProblems(Object.fromEntries(call.problems.map(({ key, message }) => [key, message])));
    if (call.problems.length > 0) return;
    start.run({
      params: { workflow },
      body: {
        trigger_id: id,
        payload: call.params,
        draft: isDraft,
        ...(isDryRun && { dry_run: true }),
      },
    });
  };
  const issues = { ...(start.error === null ? {} : toIssues(start.error)), ...problems };
  return (
    <form onSubmit={submit} noValidate ref={form}>
      <Stack gap="md">
        {triggers.length > 1 && (
          <NativeSelect
            label="Trigger"
            value={id}
            data={triggers.map((one) => ({ value: one.id, label: one.label ?? one.id }))}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        )}
        <EventFields
          groups={groups}
          event={event}
          issues={issues}
          onEvent={(change) =>
            setEvents((before) => ({ ...before, [id]: change(before[id] ?? nothing) }))
          }
        />
        {mayDryRun && <DryRunSwitch isDryRun={isDryRun} onDryRun={setDryRun} />}
        <RunFormEnd error={start.error} isBusy={start.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}
