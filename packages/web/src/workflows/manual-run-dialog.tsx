import type { Workflow } from "@hub/contract/workflow.ts";
import type { WorkflowManualTrigger } from "@hub/contract/workflow-manual.ts";
import { Alert, Button, Group, NativeSelect, Radio, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { parseExactJson } from "../api/exact-json.ts";
import { toIssues } from "../api/to-issues.ts";
import { useApi, useChange } from "../api/use-api.ts";
import { type Draft, toParams } from "../form/field-form.ts";
import { FieldForm } from "../form/form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { PageSkeleton } from "../ui/page-skeleton.tsx";
import { workflowRunRoutes } from "./workflow-routes.ts";

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
  const mayRunDraft = access === "manage";
  const isSame = version > 0 && (draft === null || draft.is_published);
  const [body, setBody] = useState(given ?? (version > 0 ? "published" : "draft"));
  const triggers = useApi("GET /manager/api/workflows/{workflow}/manual", {
    params: { workflow: id },
    query: { body },
  });
  return (
    <Dialog onClose={onClose} title={`Run ${workflow.name}`} size="lg">
      <Stack gap="md">
        {mayRunDraft && version > 0 && !isSame && (
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
        {mayRunDraft && version === 0 && (
          <div>The workflow is not published, so its draft runs.</div>
        )}
        <Loaded of={triggers} what="The form" skeleton={<PageSkeleton lines={3} />}>
          {({ triggers }) =>
            triggers.length === 0 ? (
              <Alert color="blue">
                {`The ${body === "draft" ? "draft" : "published version"} has no manual trigger, so it cannot be started by hand. `}
                {mayRunDraft && "Add one in the editor, or replay a past run."}
              </Alert>
            ) : (
              <RunForm
                key={body}
                workflow={id}
                triggers={triggers}
                isDraft={body === "draft"}
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
  onStarted: (runId: string) => void;
  onClose: () => void;
};

const host = { version: 0 };

function RunForm({ workflow, triggers, isDraft, onStarted, onClose }: FormProps) {
  const [chosen, setChosen] = useState(triggers[0]?.id ?? "");
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [payload, setPayload] = useState("{}");
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
  const draft = drafts[id] ?? {};
  const groups = trigger.groups.map((group) =>
    trigger.groups.length === 1 && group.title === "Configuration"
      ? { ...group, title: "Inputs" }
      : group,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const call = takesFields ? toParams(groups, draft) : readPayload(payload);
    setProblems(Object.fromEntries(call.problems.map(({ key, message }) => [key, message])));
    if (call.problems.length > 0) return;
    start.run({
      params: { workflow },
      body: { trigger_id: id, payload: call.params, draft: isDraft },
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
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
        {takesFields ? (
          <div>
            <FieldForm
              groups={groups}
              draft={draft}
              onDraft={(change) =>
                setDrafts((before) => ({ ...before, [id]: change(before[id] ?? {}) }))
              }
              host={host}
              issues={issues}
            />
          </div>
        ) : (
          <Textarea
            label="Payload"
            description="A JSON object. Templates read it as .Event.Payload."
            inputWrapperOrder={["label", "input", "error", "description"]}
            rows={6}
            resize="vertical"
            spellCheck={false}
            value={payload}
            error={issues.payload ?? null}
            onChange={(event) => setPayload(event.currentTarget.value)}
          />
        )}
        {start.error !== null && (
          <Alert color="red" role="alert" title="The run was not started">
            {start.error.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" leftSection={<Icon name="play" />} loading={start.isPending}>
            Run
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function readPayload(text: string): {
  params: unknown;
  problems: Array<{ key: string; message: string }>;
} {
  try {
    return { params: parseExactJson(text.trim() === "" ? "{}" : text), problems: [] };
  } catch {
    return { params: null, problems: [{ key: "payload", message: "This is not valid JSON." }] };
  }
}
