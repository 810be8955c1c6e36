import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert, Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { ProblemList } from "../../../workflow-parts/publish/body-problem-list.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";
import styles from "../workflows.module.css";
import { describeConflict } from "./describe-conflict.ts";
import { applyRunSettings, type RunSettings, readRunSettings } from "./run-settings.ts";

const policies = [
  { value: "parallel", label: "Run several at the same time" },
  { value: "queue", label: "Run one after the other" },
  { value: "drop", label: "Refuse a new run while one runs" },
];
const severities = ["info", "warning", "error", "critical"];

/** How runs are queued, limited and judged. They belong to the draft, so they count once it is published. */
export function RunSettingsCard({ workflow }: { workflow: WorkflowDetail }) {
  const toast = useToast();
  const [edit, setEdit] = useState<Partial<RunSettings>>({});
  const save = useChange("PUT /manager/api/workflows/{workflow}/draft", {
    // After a conflict, the draft of the other user is read, and what was typed here stays.
    refreshes: workflowRoutes,
    onDone({ problems }) {
      setEdit({});
      if (!problems.some(({ path }) => path.startsWith("/settings"))) {
        toast({ text: "The settings are saved in the draft. They count once it is published." });
      }
    },
  });
  const stored = readRunSettings(workflow.body);
  const shown = { ...stored, ...edit };
  const set = (change: Partial<RunSettings>) => setEdit((all) => ({ ...all, ...change }));
  const isChanged = JSON.stringify(shown) !== JSON.stringify(stored);
  const conflict = describeConflict(save.error);
  const problems = (save.data?.problems ?? []).filter(({ path }) => path.startsWith("/settings"));
  const text = (
    key: "runsAtOnce" | "waitingMax" | "timeoutS",
    label: string,
    description: string,
  ) => (
    <TextInput
      label={label}
      description={description}
      inputMode="numeric"
      value={shown[key]}
      onChange={(event) => set({ [key]: event.currentTarget.value })}
    />
  );
  return (
    <Card title="Runs">
      <Stack gap="md">
        <NativeSelect
          label="When two runs meet"
          data={policies}
          value={shown.policy}
          onChange={(event) => set({ policy: event.currentTarget.value })}
        />
        <div className={styles.pair}>
          {shown.policy === "parallel" &&
            text("runsAtOnce", "At the same time", "1 to 256 runs. Others wait.")}
          {shown.policy !== "drop" &&
            text("waitingMax", "Waiting", "How many runs may wait. Further ones are refused.")}
          {text("timeoutS", "Time limit", "Of a run, in seconds.")}
        </div>
        <NativeSelect
          label="Severity of a failure"
          description="Error triggers of other workflows can filter by it."
          data={severities}
          value={shown.severity}
          onChange={(event) => set({ severity: event.currentTarget.value })}
        />
        <EnvFields env={shown.env} onChange={(env) => set({ env })} />
        {problems.length > 0 && <ProblemList problems={problems} />}
        {conflict !== null && (
          <Alert color="yellow" role="alert" title="The draft has changed meanwhile">
            <p>{conflict.text}</p>
            <ul>
              {conflict.sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            <p>What you entered here is kept. Save again to add it to the new draft.</p>
          </Alert>
        )}
        {conflict === null && <Failure of={save.error} />}
        <Group>
          <Button
            variant="default"
            disabled={!isChanged}
            loading={save.isPending}
            onClick={() =>
              save.run({
                params: { workflow: workflow.id },
                body: {
                  revision: workflow.draft?.revision ?? 0,
                  body: applyRunSettings(workflow.body, edit),
                },
              })
            }
          >
            Save in the draft
          </Button>
          {isChanged && (
            <Button variant="subtle" onClick={() => setEdit({})}>
              Discard
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

type EnvProps = {
  env: RunSettings["env"];
  onChange: (env: RunSettings["env"]) => void;
};

function EnvFields({ env, onChange }: EnvProps) {
  const change = (at: number, part: { name?: string; value?: string }) =>
    onChange(env.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className={styles.env}>
      <legend>Environment</legend>
      <p>Plain values that templates read as .Env.NAME. Secrets belong in the tab Secrets.</p>
      {env.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is what identifies a line while its name is typed.
        <div key={at} className={styles.envLine}>
          <TextInput
            aria-label={`Name of value ${at + 1}`}
            placeholder="NAME"
            value={name}
            onChange={(event) => change(at, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Value ${at + 1}`}
            placeholder="Value"
            value={value}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
          />
          <IconButton
            icon="trash"
            label={`Remove ${name || `value ${at + 1}`}`}
            onClick={() => onChange(env.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" />}
        onClick={() => onChange([...env, { name: "", value: "" }])}
      >
        Add a value
      </Button>
    </fieldset>
  );
}
