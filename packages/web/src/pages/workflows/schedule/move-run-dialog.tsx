import type { WorkflowScheduledRun } from "@hub/contract/workflow-scheduled.ts";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { formatExact } from "../../../ui/text/format.ts";
import { workflowRunRoutes } from "../../../workflow-parts/workflow-routes.ts";

type Props = { workflow: string; run: WorkflowScheduledRun; onClose: () => void };

/** Gives a scheduled run another time. It can be moved back. */
export function MoveRunDialog({ workflow, run, onClose }: Props) {
  const toast = useToast();
  const [text, setText] = useState(toLocalInput(run.scheduled_at));
  const params = { workflow, run: run.id };
  const refreshes = workflowRunRoutes;
  const back = useChange("PATCH /manager/api/workflows/{workflow}/scheduled/{run}", {
    refreshes,
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  const move = useChange("PATCH /manager/api/workflows/{workflow}/scheduled/{run}", {
    refreshes,
    onDone({ scheduled_at: at }) {
      toast({
        text: `The run starts ${formatExact(at)}.`,
        onUndo: () => back.run({ params, body: { scheduled_at: run.scheduled_at } }),
      });
      onClose();
    },
  });
  const time = Date.parse(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!Number.isNaN(time)) {
      move.run({ params, body: { scheduled_at: new Date(time).toISOString() } });
    }
  };
  return (
    <Dialog onClose={onClose} title="Move this run">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            type="datetime-local"
            step={1}
            label="New time"
            description={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`}
            value={text}
            error={move.error?.message ?? null}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={Number.isNaN(time)} loading={move.isPending}>
              Move
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** A time as a `datetime-local` input has it: in the time zone of the browser, without an offset. */
function toLocalInput(at: string): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}
