import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button, Group, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useApiClient, useChange } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";
import styles from "../workflows.module.css";
import { OwnerCard } from "./owner-card.tsx";
import { RunSettingsCard } from "./run-settings-card.tsx";
import { TagsCard } from "./tags-card.tsx";

/** Everything about a workflow besides its graph. */
export function SettingsTab({ workflow }: { workflow: WorkflowDetail }) {
  return (
    <div className={styles.column}>
      <NameCard workflow={workflow} />
      <RunSettingsCard workflow={workflow} />
      <TagsCard workflow={workflow} />
      <OwnerCard workflow={workflow} />
      <ExportCard workflow={workflow} />
      <DeleteCard workflow={workflow} />
    </div>
  );
}

type Edit = { name?: string; description?: string; run_by?: WorkflowDetail["run_by"] };

/** What was typed stays when others change the workflow. */
function NameCard({ workflow }: { workflow: WorkflowDetail }) {
  const toast = useToast();
  const [edit, setEdit] = useState<Edit>({});
  const change = useChange("PATCH /manager/api/workflows/{workflow}", {
    refreshes: workflowRoutes,
    onDone() {
      setEdit({});
      toast({ text: "The name and rights are saved." });
    },
  });
  const issues = change.error === null ? {} : toIssues(change.error);
  const shown = { ...workflow, ...edit };
  const isChanged = (["name", "description", "run_by"] as const).some(
    (key) => shown[key] !== workflow[key],
  );
  return (
    <Card title="Name and rights">
      <Stack gap="md">
        <TextInput
          label="Name"
          value={shown.name}
          error={issues.name ?? null}
          onChange={({ currentTarget: { value } }) => setEdit((all) => ({ ...all, name: value }))}
        />
        <Textarea
          label="Description"
          rows={2}
          value={shown.description}
          error={issues.description ?? null}
          onChange={({ currentTarget: { value } }) =>
            setEdit((all) => ({ ...all, description: value }))
          }
        />
        <Radio.Group
          label="Who may start it by hand"
          value={shown.run_by}
          onChange={(value) =>
            setEdit((all) => ({ ...all, run_by: value === "owner" ? "owner" : "tags" }))
          }
        >
          <Stack gap="xs" mt="xs">
            <Radio value="tags" label="Its owner, admins, and users who share a tag with it" />
            <Radio value="owner" label="Its owner and admins" />
          </Stack>
        </Radio.Group>
        {Object.keys(issues).length === 0 && <Failure of={change.error} />}
        <Group>
          <Button
            variant="default"
            disabled={!isChanged}
            loading={change.isPending}
            onClick={() => change.run({ params: { workflow: workflow.id }, body: edit })}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function ExportCard({ workflow: { id, name } }: { workflow: WorkflowDetail }) {
  const api = useApiClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const exported = await api.call("GET /manager/api/workflows/{workflow}/export", {
        params: { workflow: id },
      });
      saveFile(`${id}.json`, JSON.stringify(exported, null, 2));
    } catch (thrown) {
      toast({ kind: "error", text: thrown instanceof Error ? thrown.message : String(thrown) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title="Export">
      <p>
        {`The draft of ${name} as a file that another hub can import. It has the names of the secrets, not their values.`}
      </p>
      <Button
        variant="default"
        leftSection={<Icon name="download" />}
        loading={isBusy}
        onClick={() => void download()}
      >
        Export
      </Button>
    </Card>
  );
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

function DeleteCard({ workflow: { id, name } }: { workflow: WorkflowDetail }) {
  const navigate = useNavigate();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("DELETE /manager/api/workflows/{workflow}", {
    refreshes: ["GET /manager/api/workflows"],
    onDone() {
      toast({ text: `${name} is deleted.` });
      void navigate({ to: "/workflows" });
    },
  });
  return (
    <Card title="Delete">
      <p>
        Deletes the draft, all versions and the secrets. Its recorded runs stay until they are
        purged.
      </p>
      <Button variant="danger" onClick={() => setAsking(true)}>
        Delete this workflow
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete ${name}?`}
        action="Delete"
        name={name}
        isBusy={remove.isPending}
        onConfirm={() => remove.run({ params: { workflow: id } })}
        onClose={() => setAsking(false)}
      >
        Its draft, versions and secrets are lost, its triggers start no runs, and its webhook
        addresses stop to exist. Its id is never used again.
        <Failure of={remove.error} />
      </ConfirmDialog>
    </Card>
  );
}
