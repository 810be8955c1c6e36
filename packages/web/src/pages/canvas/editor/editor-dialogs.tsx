import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { DraftEditor } from "./draft/use-draft.ts";
import { LazyPart } from "./lazy-part.tsx";

export type EditorDialog = "run" | "publish" | "help";

type Props = {
  open: EditorDialog | null;
  onClose: () => void;
  workflow: WorkflowDetail;
  draft: DraftEditor;
  /** The trigger that Run has chosen at first. */
  trigger: string | null;
  onGo: (id: string) => void;
  onStarted: (run: string) => void;
};

const loadPublishDialog = () => import("../../../workflow-parts/publish/publish-dialog.tsx");
const loadShortcutHelp = () => import("./keys/shortcut-help.tsx");
const loadRunDialog = () => import("../run/start/run-dialog.tsx");
const loadConflictDialog = () => import("./draft/conflict-dialog.tsx");
const nothing = () => {};

/** The dialogs of the editor, of which the code is loaded when they are opened. */
export function EditorDialogs(props: Props) {
  const { open, onClose, workflow, draft, trigger, onGo, onStarted } = props;
  return (
    <>
      {open === "publish" && (
        <LazyPart load={loadPublishDialog} onFailed={onClose}>
          {({ PublishDialog }) => (
            <PublishDialog
              workflow={workflow}
              onGo={(id) => {
                onClose();
                onGo(id);
              }}
              onClose={onClose}
            />
          )}
        </LazyPart>
      )}
      {open === "help" && (
        <LazyPart load={loadShortcutHelp} onFailed={onClose}>
          {({ ShortcutHelp }) => <ShortcutHelp onClose={onClose} />}
        </LazyPart>
      )}
      {open === "run" && (
        <LazyPart load={loadRunDialog} onFailed={onClose}>
          {({ RunDialog }) => (
            <RunDialog
              workflow={workflow.id}
              body={draft.body}
              trigger={trigger}
              flush={draft.flush}
              onClose={onClose}
              onStarted={(run) => {
                onClose();
                onStarted(run);
              }}
            />
          )}
        </LazyPart>
      )}
      {draft.save.kind === "conflict" && (
        <LazyPart load={loadConflictDialog} onFailed={nothing}>
          {({ ConflictDialog }) => <ConflictDialog workflow={workflow.id} draft={draft} />}
        </LazyPart>
      )}
    </>
  );
}
