import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { UnsavedQuestion } from "../../../ui/dialogs/unsaved-question.tsx";
import { type Body, isTrigger } from "../graph/body.ts";
import { usePositions } from "../use-positions.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";
import { useDraft } from "./draft/use-draft.ts";
import { useEdits } from "./draft/use-edits.ts";
import { useLatestWorkflow } from "./draft/use-latest-workflow.ts";
import styles from "./editor.module.css";
import { EditorDialogs } from "./editor-dialogs.tsx";
import { EditorInspector } from "./editor-inspector.tsx";
import { EditorMiddle } from "./editor-middle.tsx";
import { EditorTop } from "./editor-top.tsx";
import { focusFirstField } from "./keys/focus-first-field.ts";
import { handleGraphKey, handlePageKey } from "./keys/handle-keys.ts";
import { EditorPalette } from "./palette/editor-palette.tsx";
import { findSpot, type PaletteAt } from "./palette/palette-at.ts";
import { useProblems } from "./problems/use-problems.ts";
import { useEditorParts } from "./use-editor-parts.ts";
import { useInspected } from "./use-inspected.ts";
import { useRunLooks } from "./use-run-looks.ts";
import { useSelection } from "./use-selection.ts";

type Props = { workflow: WorkflowDetail; opened: Body };

/** The draft of a workflow: palette, graph and inspector. */
export function Editor({ workflow, opened }: Props) {
  const draft = useDraft(workflow, opened);
  const { body } = draft;
  const positions = usePositions(body);
  const [palette, setPalette] = useState<PaletteAt | null>(null);
  const flow = useRef<CanvasHandle>(null);
  /** Whether the text of a comment takes the focus, because it was just added. */
  const editsNew = useRef(false);
  const page = useRef<HTMLDivElement>(null);
  const selection = useSelection({ opened, page, flow });
  const { selected, focusItem, goTo } = selection;
  const edits = useEdits({
    draft,
    positions,
    selection,
    flow,
    onAdded: () => setPalette(null),
    onComment: () => {
      editsNew.current = true;
    },
  });
  const { problems, unread, firstUnread } = useProblems(draft);
  const { runId, shown, showRun, toLook } = useRunLooks(workflow.id, problems);
  const parts = useEditorParts(firstUnread, goTo);
  const { dialog, setDialog, closeDialog, tab, setTab, bottom, setBottom, openWhenRead } = parts;
  const { only, inspected, inspectedId } = useInspected(body, selected, flow);
  const { latest, secrets } = useLatestWorkflow(workflow, draft);
  const keys = { draft, positions, selection, edits, page, setPalette, setDialog };
  const closePalette = () => {
    setPalette(null);
    if (only !== undefined) focusItem(only);
  };

  // What is typed for another item is another step of Undo.
  const { endStep } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the selection changes.
  useEffect(endStep, [selected, endStep]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that no part of the page takes.
    <div
      className={styles.page}
      data-canvas
      ref={page}
      onKeyDown={(event) => handlePageKey(event, draft)}
    >
      <title>{`${workflow.name} · Hub`}</title>
      <EditorTop
        workflow={latest}
        draft={draft}
        onAdd={() => setPalette({ at: null, spot: null })}
        onHelp={() => setDialog("help")}
        onOpen={openWhenRead}
      />
      <EditorDialogs
        open={dialog}
        onClose={closeDialog}
        workflow={latest}
        draft={draft}
        trigger={inspected !== null && isTrigger(body, inspected.id) ? inspected.id : null}
        onGo={goTo}
        onStarted={(run) => {
          showRun(run);
          setBottom("steps");
          setTab("run");
        }}
      />
      <UnreadQuestion first={firstUnread} />
      <div className={styles.work}>
        {palette !== null && (
          <EditorPalette
            at={palette.at}
            spot={palette.spot}
            body={body}
            onAdd={(item, at) => edits.add(item, at, palette.spot?.position)}
            onFailed={() => setPalette(null)}
            onClose={closePalette}
            onLeave={() => setPalette(null)}
          />
        )}
        <EditorMiddle
          draft={draft}
          positions={positions}
          problems={problems}
          selection={selection}
          toLook={toLook}
          shown={shown}
          flow={flow}
          onKeyDown={(event) => handleKey(event, keys)}
          edits={edits}
          bottom={bottom}
          setBottom={setBottom}
          showRun={showRun}
          setPalette={setPalette}
          workflow={workflow.id}
          isAdding={palette !== null}
        />
        {inspectedId !== undefined && (
          <EditorInspector
            draft={draft}
            selection={selection}
            problems={problems}
            unread={unread}
            shown={shown}
            tab={tab}
            secrets={secrets}
            editsNew={editsNew}
            workflow={workflow.id}
            id={inspectedId}
            onTab={setTab}
            run={runId}
            onRun={() => openWhenRead("run")}
          />
        )}
      </div>
    </div>
  );
}

type KeyParts = Omit<Parameters<typeof handleGraphKey>[1], "onAdd" | "onHelp" | "onOpen"> & {
  page: RefObject<HTMLDivElement | null>;
  setPalette: (palette: PaletteAt) => void;
  setDialog: (dialog: "help") => void;
};

function handleKey(
  event: KeyboardEvent<HTMLElement>,
  { page, setPalette, setDialog, ...parts }: KeyParts,
): void {
  handleGraphKey(event, {
    ...parts,
    onAdd: (at) => setPalette({ at, spot: findSpot(page.current, at) }),
    onHelp: () => setDialog("help"),
    onOpen: () => void focusFirstField(page.current),
  });
}

/** Asks before the page is left with a text that cannot be read, and so is not saved. */
function UnreadQuestion({ first }: { first: { id: string | null; message: string } | undefined }) {
  return (
    <UnsavedQuestion isDirty={first !== undefined}>
      {first !== undefined && `${first.id}: ${first.message} It will be lost.`}
    </UnsavedQuestion>
  );
}
