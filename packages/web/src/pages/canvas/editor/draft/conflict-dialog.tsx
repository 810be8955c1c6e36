import { Button, Group, Modal } from "@mantine/core";
import { useState } from "react";
import { asApiError } from "../../../../api/api-error.ts";
import { useApiClient } from "../../../../api/use-api.ts";
import { useToast } from "../../../../ui/dialogs/toasts.tsx";
import { TimeAgo } from "../../../../ui/text/time-ago.tsx";
import { readBody } from "../../graph/body.ts";
import type { DraftConflict, DraftEditor } from "./use-draft.ts";

type Props = { workflow: string; draft: DraftEditor };

/** Says what someone else has saved meanwhile. Nothing that was drawn here is lost, whatever is chosen. */
export function ConflictDialog({ workflow, draft }: Props) {
  const { save } = draft;
  const [hidden, setHidden] = useState<DraftConflict | null>(null);
  const conflict = save.kind === "conflict" ? save.conflict : null;
  return (
    <Modal
      opened={conflict !== null && conflict !== hidden}
      onClose={() => setHidden(conflict)}
      title="The draft was saved elsewhere"
    >
      {conflict !== null && (
        <Choice key={conflict.revision} workflow={workflow} draft={draft} conflict={conflict} />
      )}
    </Modal>
  );
}

function Choice({ workflow, draft, conflict }: Props & { conflict: DraftConflict }) {
  const api = useApiClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const { savedBy, savedAt, difference } = conflict;
  const { sentences } = difference;
  const take = async () => {
    setBusy(true);
    try {
      const params = { workflow };
      const detail = await api.call("GET /manager/api/workflows/{workflow}", { params });
      const theirs = readBody(detail.body);
      if (theirs === null) return toast({ kind: "error", text: "Their draft cannot be drawn." });
      draft.takeTheirs(detail, theirs);
      toast({ text: "Their draft is shown.", onUndo: draft.undo });
    } catch (thrown) {
      toast({ kind: "error", text: asApiError(thrown).message });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p>
        {`${savedBy} has saved the draft `}
        <TimeAgo at={savedAt} />.{" "}
        {sentences.length === 0
          ? "It does what yours does."
          : "Compared with yours, theirs differs:"}
      </p>
      {sentences.length > 0 && (
        <ul>
          {sentences.slice(0, 20).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
          {sentences.length > 20 && <li>{`${sentences.length - 20} more`}</li>}
        </ul>
      )}
      <p>Undo brings yours back if you take theirs.</p>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" loading={isBusy} onClick={() => void take()}>
          Take theirs
        </Button>
        <Button onClick={() => void draft.keepMine(conflict)}>Keep mine</Button>
      </Group>
    </>
  );
}
