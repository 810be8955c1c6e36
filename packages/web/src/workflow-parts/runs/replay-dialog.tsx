import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Button, Group, Radio, Stack } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { formatExact } from "../../ui/text/format.ts";
import { workflowRunRoutes } from "../workflow-routes.ts";
import { DryRunSwitch } from "./dry-run-switch.tsx";

type Props = {
  run: WorkflowRun;
  /** The number of the published version; 0 if there is none. */
  version: number;
  /** Whether the draft differs from it. */
  hasOtherDraft: boolean;
  onStarted: (runId: string) => void;
  onClose: () => void;
};

/** Starts a run again with the same event, by the published version or by the draft. */
export function ReplayDialog({ run, version, hasOtherDraft, onStarted, onClose }: Props) {
  const [body, setBody] = useState(version === 0 ? "draft" : "published");
  // A dry run is replayed as one, unless the user says otherwise.
  const [isDryRun, setDryRun] = useState(run.mode === "dry");
  const replay = useChange("POST /manager/api/workflows/{workflow}/runs/{run}/replay", {
    refreshes: workflowRunRoutes,
    onDone: ({ run_id: id }) => onStarted(id),
  });
  const start = () =>
    replay.run({
      params: { workflow: run.workflow_id, run: run.id },
      body: { draft: body === "draft", ...(isDryRun && { dry_run: true }) },
    });
  return (
    <Dialog onClose={onClose} title="Replay this run?">
      <Stack gap="md">
        <div>
          {`A new run starts with the event of ${formatExact(run.created_at)}. `}
          {isDryRun
            ? "Steps that would change or send something are not called, and give the outputs of that run."
            : "Its steps call the outside systems again."}
        </div>
        {version > 0 && hasOtherDraft && (
          <Radio.Group label="Run it with" value={body} onChange={setBody}>
            <Stack gap="xs" mt="xs">
              <Radio value="published" label={`The published version ${version}`} />
              <Radio value="draft" label="The draft, to try a change" />
            </Stack>
          </Radio.Group>
        )}
        {version === 0 && <div>The workflow is not published, so its draft runs.</div>}
        <DryRunSwitch isDryRun={isDryRun} onDryRun={setDryRun} />
        <Failure of={replay.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={replay.isPending} onClick={start} data-autofocus>
            Replay
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
