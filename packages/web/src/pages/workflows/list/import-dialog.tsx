import { Button, FileButton, Group, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";
import { type ExportedWorkflow, readExport } from "./read-export.ts";

/** Makes a workflow from an exported file. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [file, setFile] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [found, setFound] = useState<ExportedWorkflow | null>(null);
  const create = useChange("POST /manager/api/workflows/import", {
    refreshes: [workflowRoutes[0]],
    onDone: ({ id }) => void navigate({ to: "/workflows/$workflow", params: { workflow: id } }),
  });
  const choose = async (chosen: File | null) => {
    if (chosen === null) return;
    create.reset();
    setFile(chosen.name);
    const read = await readExport(chosen);
    setFault(typeof read === "string" ? read : null);
    setFound(typeof read === "string" ? null : read);
  };
  return (
    <Dialog onClose={onClose} title="Import a workflow">
      <Stack gap="md">
        <div>
          Choose a file that a hub exported. The new workflow is a draft: nothing runs before you
          publish it.
        </div>
        <Group gap="sm">
          <FileButton accept="application/json,.json" onChange={(chosen) => void choose(chosen)}>
            {(props) => (
              <Button
                {...props}
                data-autofocus
                variant="default"
                leftSection={<Icon name="file" />}
              >
                Choose a file
              </Button>
            )}
          </FileButton>
          {file !== null && <span>{file}</span>}
        </Group>
        {fault !== null && <div role="alert">{fault}</div>}
        {found !== null && (
          <div>
            <strong>{found.name}</strong>
            {found.secrets.length > 0 &&
              ` needs these secrets, whose values are not in the file: ${found.secrets.join(", ")}.`}
          </div>
        )}
        <Failure of={create.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={found === null}
            loading={create.isPending}
            onClick={() => found !== null && create.run({ body: found })}
          >
            Import
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
