import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { Icon } from "../../../ui/icon.tsx";
import { LeaveQuestion } from "../../../ui/leave-question.tsx";
import { PageSkeleton } from "../../../ui/page-skeleton.tsx";
import { useToast } from "../../../ui/toasts.tsx";
import type { CanvasSearch } from "../canvas-search.ts";
import { type Body, findItem, isTrigger } from "../graph/body.ts";
import type { Place } from "../graph/commands.ts";
import { findComment } from "../graph/comments.ts";
import type { ItemLook } from "../graph/flow.ts";
import type { InspectorTab } from "../inspector/item-inspector.tsx";
import { useShownRun } from "../run/use-shown-run.ts";
import { usePositions } from "../use-positions.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";
import { DraftGraph } from "./draft-graph.tsx";
import styles from "./editor.module.css";
import { type EditorDialog, EditorDialogs } from "./editor-dialogs.tsx";
import { EditorInspector } from "./editor-inspector.tsx";
import { type EditorList, EditorPanel } from "./editor-panel.tsx";
import { handleGraphKey, handlePageKey } from "./handle-keys.ts";
import { LazyPart } from "./lazy-part.tsx";
import { worstOf } from "./problems.ts";
import { Toolbar } from "./toolbar.tsx";
import { useDraft } from "./use-draft.ts";
import { useEdits } from "./use-edits.ts";
import { useLatestWorkflow } from "./use-latest-workflow.ts";
import { useProblems } from "./use-problems.ts";
import { useSelection } from "./use-selection.ts";

type Props = { workflow: WorkflowDetail; opened: Body };

const noLook: ItemLook = { state: null, note: null, problem: null };

/** The draft of a workflow: palette, graph and inspector. */
export function Editor({ workflow, opened }: Props) {
  const draft = useDraft(workflow, opened);
  const { body } = draft;
  const positions = usePositions(body);
  const search = useSearch({ from: "/workflows/$workflow/edit" });
  const navigate = useNavigate({ from: "/workflows/$workflow/edit" });
  const [palette, setPalette] = useState<{ at: Place | null } | null>(null);
  const flow = useRef<CanvasHandle>(null);
  /** Whether the text of a comment takes the focus, because it was just added. */
  const editsNew = useRef(false);
  const page = useRef<HTMLDivElement>(null);
  const toast = useToast();
  const selection = useSelection({ opened, page, flow });
  const { selected, select, focusItem, goTo } = selection;
  const edits = useEdits({
    ...{ draft, positions, selection, flow },
    onAdded: () => setPalette(null),
    onComment: () => {
      editsNew.current = true;
    },
  });
  const { problems, unread, firstUnread } = useProblems(draft);
  const runId = search.run ?? null;
  const { shown } = useShownRun(workflow.id, runId);
  const ofRun = shown?.toLook;
  const toLook = useCallback(
    (id: string): ItemLook => ({ ...noLook, ...ofRun?.(id), problem: worstOf(problems, id) }),
    [problems, ofRun],
  );
  const showRun = (run: string | undefined) =>
    void navigate({ to: ".", search: (before: CanvasSearch) => ({ ...before, run }) });
  const [dialog, setDialog] = useState<EditorDialog | null>(null);
  const [tab, setTab] = useState<InspectorTab>("fields");
  const [bottom, setBottom] = useState<EditorList | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);
  /** The stored draft runs and is published: not without what was typed. */
  const openWhenRead = (name: "run" | "publish") => {
    if (firstUnread === undefined) return setDialog(name);
    toast({ kind: "error", text: `${firstUnread.id}: ${firstUnread.message}` });
    setBottom("problems");
    goTo(firstUnread.id ?? "");
  };

  const [only] = selected.size === 1 ? selected : [];
  const inspected = only === undefined ? null : findItem(body, only);
  // The inspector takes a part of the window, in which the selected item may have been.
  const inspectedId =
    inspected?.id ?? (only === undefined || findComment(body, only) === null ? undefined : only);
  useEffect(() => {
    if (inspectedId === undefined) return;
    const frame = requestAnimationFrame(() => flow.current?.show(inspectedId));
    return () => cancelAnimationFrame(frame);
  }, [inspectedId]);
  const { latest, secrets } = useLatestWorkflow(workflow, draft);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    handleGraphKey(event, {
      ...{ draft, positions, selection, edits },
      onAdd: (at) => setPalette({ at }),
      onHelp: () => setDialog("help"),
      onOpen: () =>
        page.current
          ?.querySelector<HTMLElement>("[data-inspector] :is(input, textarea, select, button)")
          ?.focus(),
    });

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
      <Toolbar
        workflow={latest}
        draft={draft}
        onAdd={() => setPalette({ at: null })}
        onHelp={() => setDialog("help")}
      >
        <Button
          variant="default"
          leftSection={<Icon name="play" />}
          onClick={() => openWhenRead("run")}
        >
          Run
        </Button>
        <Button
          onClick={() => void draft.flush().then((isSaved) => isSaved && openWhenRead("publish"))}
        >
          Publish
        </Button>
      </Toolbar>
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
      <LeaveQuestion isDirty={firstUnread !== undefined}>
        {firstUnread !== undefined && `${firstUnread.id}: ${firstUnread.message} It will be lost.`}
      </LeaveQuestion>
      <div className={styles.work}>
        {palette !== null && (
          <LazyPart load={loadPalette} onFailed={() => setPalette(null)}>
            {({ Palette }) => (
              <Palette
                at={palette.at}
                body={body}
                onAdd={(item) => edits.add(item, palette.at)}
                onClose={() => {
                  setPalette(null);
                  if (only !== undefined) focusItem(only);
                }}
              />
            )}
          </LazyPart>
        )}
        <div className={styles.middle}>
          {positions === null ? (
            <PageSkeleton />
          ) : (
            <DraftGraph
              {...{ draft, positions, selected, toLook, flow, onKeyDown }}
              toLinkLook={shown?.toLinkLook}
              onSelect={select}
              onAdd={(at) => setPalette({ at })}
              onDrop={edits.add}
              isAdding={palette !== null}
            />
          )}
          {shown !== undefined && (
            <LazyPart load={loadRunBar} onFailed={nothing}>
              {({ RunBar }) => (
                <RunBar shown={shown} onGo={goTo} onClose={() => showRun(undefined)} />
              )}
            </LazyPart>
          )}
          <EditorPanel
            {...{ draft, problems, selected, shown }}
            workflow={workflow.id}
            open={bottom}
            onOpen={setBottom}
            onGo={goTo}
          />
        </div>
        {inspectedId !== undefined && (
          <EditorInspector
            {...{ draft, selection, problems, unread, shown, tab, secrets, editsNew }}
            workflow={workflow.id}
            id={inspectedId}
            onTab={setTab}
            run={runId}
          />
        )}
      </div>
    </div>
  );
}

const loadRunBar = () => import("../run/run-bar.tsx");
const loadPalette = () => import("./palette.tsx");
const nothing = () => {};
