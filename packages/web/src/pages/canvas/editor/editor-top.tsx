import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button } from "@mantine/core";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { DraftEditor } from "./draft/use-draft.ts";
import { Toolbar } from "./toolbar.tsx";

type Props = {
  workflow: WorkflowDetail;
  draft: DraftEditor;
  onAdd: () => void;
  onHelp: () => void;
  onOpen: (dialog: "run" | "publish") => void;
};

/** The toolbar, with the buttons that use the stored draft. */
export function EditorTop({ workflow, draft, onAdd, onHelp, onOpen }: Props) {
  const { triggers, nodes } = draft.body;
  // The button of the empty graph leads.
  const isEmpty = triggers.length + nodes.length === 0;
  return (
    <Toolbar workflow={workflow} draft={draft} onAdd={onAdd} onHelp={onHelp}>
      <Button variant="default" leftSection={<Icon name="play" />} onClick={() => onOpen("run")}>
        Run
      </Button>
      <Button
        variant={isEmpty ? "default" : "filled"}
        onClick={() => void draft.flush().then((isSaved) => isSaved && onOpen("publish"))}
      >
        Publish
      </Button>
    </Toolbar>
  );
}
