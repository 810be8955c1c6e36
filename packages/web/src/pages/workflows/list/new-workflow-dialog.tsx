import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useApi, useChange } from "../../../api/use-api.ts";
import { RowSelect } from "../../../ui/controls/row-select.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";
import styles from "../workflows.module.css";

type Props = {
  /** The id of the example from which it starts. Without one, it is empty. */
  example: string | undefined;
  onExample: (id: string) => void;
  onClose: () => void;
};

type Texts = Readonly<Record<string, string>>;

/** Makes a workflow, empty or from an example, and opens its editor. */
export function NewWorkflowDialog({ example: chosen, onExample, onClose }: Props) {
  const navigate = useNavigate();
  const examples = useApi("GET /manager/api/workflow-examples", {});
  const example = examples.data?.examples.find(({ id }) => id === chosen);
  const [name, setName] = useState<string | null>(null);
  const [description, setDescription] = useState<string | null>(null);
  const [rows, setRows] = useState<Texts>({});
  const [env, setEnv] = useState<Texts>({});
  const create = useChange("POST /manager/api/workflows", {
    refreshes: [workflowRoutes[0]],
    onDone: ({ id }) =>
      void navigate({ to: "/workflows/$workflow/edit", params: { workflow: id } }),
  });
  const shownName = name ?? example?.name ?? "";
  const shownDescription = description ?? example?.description ?? "";
  const issues = create.error === null ? {} : toIssues(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { name: shownName, description: shownDescription };
    const parts = { example: chosen ?? "", rows: trim(rows), env: trim(env) };
    create.run({ body: example === undefined ? body : { ...body, ...parts } });
  };
  return (
    <Dialog onClose={onClose} title="New workflow" size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <NativeSelect
            label="Start from"
            data={[
              { value: "", label: "An empty canvas" },
              ...(examples.data?.examples ?? []).map((one) => ({
                value: one.id,
                label: one.name,
              })),
            ]}
            value={example?.id ?? ""}
            onChange={(event) => {
              setRows({});
              setEnv({});
              onExample(event.currentTarget.value);
            }}
          />
          <TextInput
            label="Name"
            value={shownName}
            error={issues.name ?? null}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            description="What it does, for people and models that choose between workflows."
            inputWrapperOrder={["label", "input", "error", "description"]}
            rows={example === undefined ? 2 : 3}
            value={shownDescription}
            error={issues.description ?? null}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {example !== undefined && (
            <Needs
              example={example}
              rows={rows}
              onRows={setRows}
              env={env}
              onEnv={setEnv}
              issues={issues}
            />
          )}
          {issues.name === undefined && issues.description === undefined && (
            <Failure of={create.error} />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={shownName.trim() === ""}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Without what was left empty, which can be chosen later. */
function trim(texts: Texts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
}

type NeedsProps = {
  example: WorkflowExample;
  rows: Texts;
  onRows: (rows: Texts) => void;
  env: Texts;
  onEnv: (env: Texts) => void;
  issues: Texts;
};

/** What an example needs. All of it can be chosen later, before the workflow is published. */
function Needs({ example: { needs }, rows, onRows, env, onEnv, issues }: NeedsProps) {
  return (
    <>
      {needs.rows.map((need) => (
        <RowSelect
          key={need.name}
          label={`Row for ${need.name}`}
          hasLabel
          description={need.description}
          error={issues.rows ?? null}
          any="Choose later"
          connector={need.connector}
          value={rows[need.name] || null}
          onChange={(row) => onRows({ ...rows, [need.name]: row ?? "" })}
        />
      ))}
      {needs.env.map((need) => (
        <TextInput
          key={need.name}
          label={need.name}
          description={need.description}
          inputWrapperOrder={["label", "input", "error", "description"]}
          error={issues.env ?? null}
          value={env[need.name] ?? ""}
          onChange={(event) => onEnv({ ...env, [need.name]: event.currentTarget.value })}
        />
      ))}
      {(needs.secrets.length > 0 || needs.workflows.length > 0) && (
        <ul className={styles.needs}>
          {needs.secrets.map((need) => (
            <li key={need.name}>
              {"Set the secret "}
              <code>{need.name}</code>
              {` afterwards. ${need.description}`}
            </li>
          ))}
          {needs.workflows.map((need) => (
            <li key={need.name}>
              {"Choose another workflow for "}
              <code>{need.name}</code>
              {`. ${need.description}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
