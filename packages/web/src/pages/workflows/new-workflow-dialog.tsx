import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { toIssues } from "../../api/to-issues.ts";
import { useChange } from "../../api/use-api.ts";
import { Failure } from "../../ui/failure.tsx";
import { workflowRoutes } from "../../workflows/workflow-routes.ts";

/** Asks for a name, and opens the new workflow. */
export function NewWorkflowDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = useChange("POST /manager/api/workflows", {
    refreshes: [workflowRoutes[0]],
    onDone: ({ id }) =>
      void navigate({ to: "/workflows/$workflow/edit", params: { workflow: id } }),
  });
  const issues = create.error === null ? {} : toIssues(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ body: { name, description } });
  };
  return (
    <Modal opened onClose={onClose} title="New workflow">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label="Name"
            value={name}
            error={issues.name ?? null}
            maxLength={100}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            description="What it does, for people and models that choose between workflows."
            inputWrapperOrder={["label", "input", "error", "description"]}
            rows={2}
            value={description}
            error={issues.description ?? null}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {Object.keys(issues).length === 0 && <Failure of={create.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
