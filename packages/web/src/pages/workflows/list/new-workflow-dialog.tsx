import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogFoot } from "../../../ui/dialogs/dialog-foot.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";
import { ExampleCards, ExamplePicture } from "./example-cards.tsx";
import { ExampleNeeds, type Texts } from "./example-needs.tsx";
import styles from "./examples.module.css";
import { type DrawnExample, useExamples } from "./use-examples.ts";

type Props = {
  /** The id of the example from which it starts. Without one, it is empty. */
  example: string | undefined;
  onExample: (id: string) => void;
  onClose: () => void;
};

/** Makes a workflow, empty or from an example, and opens its editor. */
export function NewWorkflowDialog({ example: chosen, onExample, onClose }: Props) {
  const examples = useExamples();
  const example = examples.data?.find(({ id }) => id === chosen);
  return (
    <Dialog onClose={onClose} title="New workflow" size="60rem">
      {chosen !== undefined && examples.isPending ? (
        <PageSkeleton lines={6} />
      ) : example === undefined ? (
        <>
          <NewWorkflowForm example={null} onClose={onClose} />
          <h3 className={styles.head}>Or start from an example</h3>
          <ExampleCards examples={examples} onUse={onExample} />
        </>
      ) : (
        <NewWorkflowForm
          key={example.id}
          example={example}
          onOther={() => onExample("")}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type FormProps = {
  example: DrawnExample | null;
  /** Shows the examples again. */
  onOther?: () => void;
  onClose: () => void;
};

function NewWorkflowForm({ example, onOther, onClose }: FormProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(example?.name ?? "");
  const [description, setDescription] = useState(example?.description ?? "");
  const [rows, setRows] = useState<Texts>({});
  const [env, setEnv] = useState<Texts>({});
  const create = useChange("POST /manager/api/workflows", {
    refreshes: [workflowRoutes[0]],
    onDone: ({ id }) =>
      void navigate({ to: "/workflows/$workflow/edit", params: { workflow: id } }),
  });
  const issues = create.error === null ? {} : toIssues(create.error);
  // Examples follow the form of an empty one.
  const Foot = example === null ? FormFoot : DialogFoot;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { name, description };
    const parts = { example: example?.id ?? "", rows: trim(rows), env: trim(env) };
    create.run({ body: example === null ? body : { ...body, ...parts } });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {example !== null && <ExamplePicture example={example} />}
        <TextInput
          label="Name"
          value={name}
          error={issues.name ?? null}
          data-autofocus
          // The dialog focuses only what is there when it opens.
          ref={example === null ? undefined : focusIt}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label="Description"
          description="What it does, for people and models that choose between workflows."
          rows={example === null ? 2 : 3}
          value={description}
          error={issues.description ?? null}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {example !== null && (
          <ExampleNeeds
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
        <Foot>
          {onOther !== undefined && (
            <Button variant="default" mr="auto" onClick={onOther}>
              Examples
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
            Create
          </Button>
        </Foot>
      </Stack>
    </form>
  );
}

function FormFoot({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="sm">
      {children}
    </Group>
  );
}

const focusIt = (input: HTMLInputElement | null) => input?.focus();

/** Without what was left empty, which can be chosen later. */
function trim(texts: Texts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
}
