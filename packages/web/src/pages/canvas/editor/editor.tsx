import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useApi } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/icon.tsx";
import { LeaveQuestion } from "../../../ui/leave-question.tsx";
import { PageSkeleton } from "../../../ui/page-skeleton.tsx";
import { useToast } from "../../../ui/toasts.tsx";
import { askLayout } from "../ask-layout.ts";
import type { CanvasSearch } from "../canvas-search.ts";
import { type Body, findItem, isTrigger, type Position } from "../graph/body.ts";
import { copyItems, pasteItems, readCopied } from "../graph/clipboard.ts";
import {
  addNode,
  addTrigger,
  connect,
  disconnect,
  findOpenOutput,
  makeId,
  move,
  type Place,
  removeItems,
  splice,
} from "../graph/commands.ts";
import { addComment, findComment, isCommentKey, setComment } from "../graph/comments.ts";
import { toTitle } from "../graph/describe-item.ts";
import type { ItemLook } from "../graph/flow.ts";
import { toLayoutInput } from "../graph/flow.ts";
import { findCommentPosition, findFreePosition, makeRoom } from "../graph/place-item.ts";
import { findNeighbour, sortItems } from "../graph/walk-graph.ts";
import type { InspectorTab } from "../inspector/item-inspector.tsx";
import { useShownRun } from "../run/use-shown-run.ts";
import { usePositions } from "../use-positions.ts";
import { type CanvasHandle, CanvasView } from "../view/canvas-view.tsx";
import { focusWhenShown } from "../view/focus-item.ts";
import { BottomPanel } from "./bottom-panel.tsx";
import styles from "./editor.module.css";
import { InspectorSide } from "./inspector-side.tsx";
import { LazyPart } from "./lazy-part.tsx";
import { commentType, type NewItem, readNewItem } from "./new-item.ts";
import { ProblemList } from "./problem-list.tsx";
import { type ItemProblem, listItemProblems, worstOf } from "./problems.ts";
import { readShortcut } from "./shortcuts.ts";
import { Toolbar } from "./toolbar.tsx";
import { createUnreadTexts, listUnreadProblems } from "./unread-texts.ts";
import { useDraft } from "./use-draft.ts";

type Props = { workflow: WorkflowDetail; opened: Body };

const noLook: ItemLook = { state: null, note: null, problem: null };
const noSelection: ReadonlySet<string> = new Set();

/** The draft of a workflow: palette, graph and inspector. */
export function Editor({ workflow, opened }: Props) {
  const draft = useDraft(workflow, opened);
  const { body, apply } = draft;
  const positions = usePositions(body);
  const search = useSearch({ from: "/workflows/$workflow/edit" });
  const navigate = useNavigate({ from: "/workflows/$workflow/edit" });
  const [selected, setSelected] = useState<ReadonlySet<string>>(
    () => new Set(search.node !== undefined && findItem(opened, search.node) ? [search.node] : []),
  );
  const findCentre = (): Position => flow.current?.findCentre() ?? [0, 0];
  const [palette, setPalette] = useState<{ at: Place | null } | null>(null);
  const flow = useRef<CanvasHandle>(null);
  /** Whether the text of a comment takes the focus, because it was just added. */
  const editsNew = useRef(false);
  const page = useRef<HTMLDivElement>(null);
  const toast = useToast();

  const select = useCallback(
    (ids: ReadonlySet<string>) => {
      setSelected(ids);
      const [node] = ids.size === 1 ? ids : [];
      void navigate({
        to: ".",
        search: (before: CanvasSearch) => ({ ...before, node }),
        replace: true,
      });
    },
    [navigate],
  );
  const focusItem = useCallback((id: string) => {
    void focusWhenShown(page.current, id).then(() => flow.current?.show(id));
  }, []);
  const goTo = useCallback(
    (id: string) => {
      select(new Set([id]));
      focusItem(id);
    },
    [select, focusItem],
  );

  const comment = (at: Position) => {
    const [, key] = addComment(body, at);
    apply((before) => addComment(before, at)[0]);
    setPalette(null);
    select(new Set([key]));
    editsNew.current = true;
  };
  const commentInView = () => comment(findCommentPosition(body, positions ?? {}, findCentre()));
  const add = (item: NewItem, at: Place | null, dropped?: Position) => {
    if (item.type === commentType) {
      return dropped === undefined ? commentInView() : comment(toGrid(dropped));
    }
    const id = makeId(body, item.id);
    const made = { ...item.fields, id, type: item.type };
    const shown = positions ?? {};
    const room = at === null || dropped !== undefined ? shown : makeRoom(body, shown, at);
    const around = dropped ?? findCentre();
    const position = findFreePosition(body, room, dropped === undefined ? at : null, around);
    apply((before) => {
      const placed = move(before, room);
      return item.isTrigger
        ? addTrigger(placed, made, position)
        : addNode(placed, made, at, position);
    });
    setPalette(null);
    goTo(id);
  };
  const remove = (ids: ReadonlySet<string>) => {
    if (ids.size === 0) return;
    const [only = ""] = ids;
    const item = findItem(body, only);
    const name =
      item !== null
        ? toTitle(item, isTrigger(body, only))
        : isCommentKey(only)
          ? "The comment"
          : only;
    const next = ids.size === 1 ? findNeighbour(body, only, "left", positions ?? {}) : null;
    apply((before) => removeItems(before, ids));
    toast({
      text: ids.size === 1 ? `${name} is removed.` : `${ids.size} items are removed.`,
      onUndo: draft.undo,
    });
    if (next === null) select(noSelection);
    else goTo(next);
  };
  const paste = (text: string) => {
    const part = readCopied(tryParse(text));
    if (part === null) return;
    const pasted = pasteItems(body, part, [48, 48]);
    apply(() => pasted.body);
    select(pasted.ids);
  };
  const copy = () => navigator.clipboard.writeText(copyItems(body, selected));

  const [unread] = useState(createUnreadTexts);
  const texts = useSyncExternalStore(unread.subscribe, unread.list);
  const unreadProblems = useMemo(() => listUnreadProblems(body, texts), [body, texts]);
  const problems = useMemo(
    () => [...unreadProblems, ...listItemProblems(draft.checked)],
    [draft.checked, unreadProblems],
  );
  const [firstUnread] = unreadProblems;
  const runId = search.run ?? null;
  const { shown } = useShownRun(workflow.id, runId);
  const ofRun = shown?.toLook;
  const toLook = useCallback(
    (id: string): ItemLook => ({ ...noLook, ...ofRun?.(id), problem: worstOf(problems, id) }),
    [problems, ofRun],
  );
  const showRun = (run: string | undefined) =>
    void navigate({ to: ".", search: (before: CanvasSearch) => ({ ...before, run }) });
  const [dialog, setDialog] = useState<"run" | "publish" | "help" | null>(null);
  const [tab, setTab] = useState<InspectorTab>("fields");
  const closeDialog = () => setDialog(null);
  /** The stored draft runs and is published: not without what was typed. */
  const openWhenRead = (name: "run" | "publish") => {
    if (firstUnread === undefined) return setDialog(name);
    toast({ kind: "error", text: `${firstUnread.id}: ${firstUnread.message}` });
    setBottom("problems");
    goTo(firstUnread.id ?? "");
  };

  const [bottom, setBottom] = useState<"problems" | "outline" | "words" | "steps" | null>(null);
  const [only] = selected.size === 1 ? selected : [];
  const inspected = only === undefined ? null : findItem(body, only);
  const commented = only === undefined ? null : findComment(body, only);
  const { data: latest = workflow } = useApi("GET /manager/api/workflows/{workflow}", {
    params: { workflow: workflow.id },
  });
  // The inspector takes a part of the window, in which the selected item may have been.
  const inspectedId = inspected?.id ?? (commented === null ? undefined : only);
  useEffect(() => {
    if (inspectedId === undefined) return;
    const frame = requestAnimationFrame(() => flow.current?.show(inspectedId));
    return () => cancelAnimationFrame(frame);
  }, [inspectedId]);
  const secrets = useMemo(() => (latest.secrets ?? []).map(({ name }) => name), [latest.secrets]);
  const setSecrets = (latest.secrets ?? []).filter((one) => one.is_set).map(({ name }) => name);
  const { check } = draft;
  // At first, and when a secret is set: the missing one was a problem.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are what triggers it.
  useEffect(() => void check().catch(() => {}), [check, setSecrets.join()]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const shortcut = readShortcut(event);
    if (shortcut === null || positions === null) return;
    const [only] = selected;
    if (shortcut.kind !== "copy" && shortcut.kind !== "paste") event.preventDefault();
    switch (shortcut.kind) {
      case "add":
        return setPalette({ at: only === undefined ? null : findOpenOutput(body, only) });
      case "walk": {
        const from = only ?? sortItems(body)[0];
        if (from === undefined) return;
        const to = only === undefined ? from : findNeighbour(body, from, shortcut.to, positions);
        if (to !== null) goTo(to);
        return;
      }
      case "move":
        return apply(
          (before) => {
            const entries = [...selected].map((id) => {
              const [x, y] = positions[id] ?? [0, 0];
              return [id, [x + shortcut.by[0], y + shortcut.by[1]]] as const;
            });
            return move(before, { ...positions, ...Object.fromEntries(entries) });
          },
          `move ${[...selected].join(" ")}`,
        );
      case "remove":
        return remove(selected);
      case "undo":
        return draft.undo();
      case "redo":
        return draft.redo();
      case "comment":
        return commentInView();
      case "all":
        return select(new Set(Object.keys(positions)));
      case "duplicate": {
        const part = readCopied(tryParse(copyItems(body, selected)));
        if (part === null) return;
        const pasted = pasteItems(body, part, [48, 48]);
        apply(() => pasted.body);
        return select(pasted.ids);
      }
      case "copy":
        return void (selected.size > 0 && copy());
      case "cut":
        return void (selected.size > 0 && copy().then(() => remove(selected)));
      case "paste":
        return void navigator.clipboard.readText().then(paste, () => {});
      case "open":
        return void page.current
          ?.querySelector<HTMLElement>("[data-inspector] :is(input, textarea, select, button)")
          ?.focus();
      case "leave":
        return select(noSelection);
      case "help":
        return setDialog("help");
      case "save":
        return void draft.flush();
    }
  };

  /** Keys that work on the whole page. In a text they are the browser's, except saving. */
  const onPageKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const shortcut = readShortcut(event);
    if (shortcut === null || event.defaultPrevented) return;
    const isText = event.target instanceof Element && event.target.matches("input, textarea");
    const run = { save: draft.flush, undo: draft.undo, redo: draft.redo };
    if (shortcut.kind !== "save" && (isText || !(shortcut.kind in run))) return;
    event.preventDefault();
    if (shortcut.kind === "save" || shortcut.kind === "undo" || shortcut.kind === "redo") {
      void run[shortcut.kind]();
    }
  };

  // What is typed for another item is another step of Undo.
  const { endStep } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the selection changes.
  useEffect(endStep, [selected, endStep]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that no part of the page takes.
    <div className={styles.page} data-canvas ref={page} onKeyDown={onPageKeyDown}>
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
      {dialog === "publish" && (
        <LazyPart load={loadPublishDialog} onFailed={closeDialog}>
          {({ PublishDialog }) => (
            <PublishDialog
              workflow={latest}
              onGo={(id) => {
                closeDialog();
                goTo(id);
              }}
              onClose={closeDialog}
            />
          )}
        </LazyPart>
      )}
      {dialog === "help" && (
        <LazyPart load={loadShortcutHelp} onFailed={closeDialog}>
          {({ ShortcutHelp }) => <ShortcutHelp onClose={closeDialog} />}
        </LazyPart>
      )}
      {dialog === "run" && (
        <LazyPart load={loadRunDialog} onFailed={closeDialog}>
          {({ RunDialog }) => (
            <RunDialog
              workflow={workflow.id}
              body={body}
              trigger={inspected !== null && isTrigger(body, inspected.id) ? inspected.id : null}
              flush={draft.flush}
              onClose={closeDialog}
              onStarted={(run) => {
                closeDialog();
                showRun(run);
                setBottom("steps");
                setTab("run");
              }}
            />
          )}
        </LazyPart>
      )}
      <LeaveQuestion isDirty={firstUnread !== undefined}>
        {firstUnread !== undefined && `${firstUnread.id}: ${firstUnread.message} It will be lost.`}
      </LeaveQuestion>
      {draft.save.kind === "conflict" && (
        <LazyPart load={loadConflictDialog} onFailed={nothing}>
          {({ ConflictDialog }) => <ConflictDialog workflow={workflow.id} draft={draft} />}
        </LazyPart>
      )}
      <div className={styles.work}>
        {palette !== null && (
          <LazyPart load={loadPalette} onFailed={() => setPalette(null)}>
            {({ Palette }) => (
              <Palette
                at={palette.at}
                body={body}
                onAdd={(item) => add(item, palette.at)}
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
            <CanvasView
              label="Workflow graph"
              body={body}
              positions={positions}
              selected={selected}
              onSelect={select}
              toLook={toLook}
              {...(shown !== undefined && { toLinkLook: shown.toLinkLook })}
              onKeyDown={onKeyDown}
              onReady={(handle) => {
                flow.current = handle;
              }}
              edit={{
                onMove: (moved) => apply((before) => move(before, { ...positions, ...moved })),
                onConnect: (edge) => apply((before) => connect(before, edge)),
                onDisconnect: (edge) => apply((before) => disconnect(before, edge)),
                onAddAfter: (at) => setPalette({ at }),
                onDrop(data, at, on) {
                  const item = readNewItem(data);
                  if (item !== null) add(item, on, at);
                },
                onSplice: (id, place, moved) =>
                  apply((before) => splice(move(before, { ...positions, ...moved }), id, place)),
                onResize: (key, size) => apply((before) => setComment(before, key, { size })),
                onTidy: () =>
                  void askLayout(toLayoutInput(body)).then((found) => {
                    if (found === null) return;
                    apply((before) => move(before, found));
                    requestAnimationFrame(() => flow.current?.fit());
                  }),
              }}
            >
              {body.nodes.length + body.triggers.length === 0 &&
                !body.comments &&
                palette === null && <FirstStep onAdd={() => setPalette({ at: null })} />}
            </CanvasView>
          )}
          {shown !== undefined && (
            <LazyPart load={loadRunBar} onFailed={nothing}>
              {({ RunBar }) => (
                <RunBar shown={shown} onGo={goTo} onClose={() => showRun(undefined)} />
              )}
            </LazyPart>
          )}
          <BottomPanel
            open={bottom}
            onOpen={setBottom}
            tabs={[
              {
                ...{ name: "problems", label: describeProblems(problems) },
                content: () => <ProblemList body={body} problems={problems} onGo={goTo} />,
              },
              {
                ...{ name: "outline", label: "Outline" },
                content: () => (
                  <LazyPart load={loadOutline} onFailed={nothing}>
                    {({ Outline }) => <Outline body={body} selected={selected} onGo={goTo} />}
                  </LazyPart>
                ),
              },
              {
                ...{ name: "words", label: "In words" },
                content: () => (
                  <LazyPart load={loadDraftInWords} onFailed={nothing}>
                    {({ DraftInWords }) => (
                      <DraftInWords workflow={workflow.id} draft={draft} onGo={goTo} />
                    )}
                  </LazyPart>
                ),
              },
              ...(shown === undefined
                ? []
                : [
                    {
                      ...{ name: "steps" as const, label: "Steps of the run" },
                      content: () => (
                        <LazyPart load={loadSteps} onFailed={nothing}>
                          {({ StepList }) => (
                            <StepList
                              body={body}
                              steps={shown.steps}
                              selected={selected}
                              onGo={goTo}
                            />
                          )}
                        </LazyPart>
                      ),
                    },
                  ]),
            ]}
          />
        </div>
        {inspected !== null && (
          <InspectorSide
            title={toTitle(inspected, isTrigger(body, inspected.id))}
            load={loadInspector}
            onLeave={() => focusItem(inspected.id)}
            onClose={() => select(noSelection)}
          >
            {({ ItemInspector }) => (
              <ItemInspector
                shown={shown}
                tab={tab}
                onTab={setTab}
                workflow={workflow.id}
                body={body}
                item={inspected}
                problems={problems}
                secrets={secrets}
                run={runId}
                apply={apply}
                unread={unread}
                flush={draft.flush}
                onRenamed={(id) => {
                  unread.rename(inspected.id, id);
                  select(new Set([id]));
                }}
              />
            )}
          </InspectorSide>
        )}
        {commented !== null && only !== undefined && (
          <InspectorSide
            title="Comment"
            load={loadCommentFields}
            onLeave={() => focusItem(only)}
            onClose={() => select(noSelection)}
          >
            {({ CommentFields }) => (
              <CommentFields
                key={only}
                comment={commented}
                isNew={editsNew}
                onChange={(fields, subject) =>
                  apply((before) => setComment(before, only, fields), `${only} ${subject}`)
                }
              />
            )}
          </InspectorSide>
        )}
      </div>
    </div>
  );
}

const toGrid = ([x, y]: Position): Position => [Math.round(x / 16) * 16, Math.round(y / 16) * 16];
const loadCommentFields = () => import("../inspector/comment-fields.tsx");
const loadInspector = () => import("../inspector/item-inspector.tsx");
const loadOutline = () => import("./outline.tsx");
const loadDraftInWords = () => import("./draft-in-words.tsx");
const loadSteps = () => import("../run/step-list.tsx");
const loadRunBar = () => import("../run/run-bar.tsx");
const loadPalette = () => import("./palette.tsx");
const loadConflictDialog = () => import("./conflict-dialog.tsx");
const nothing = () => {};
const loadPublishDialog = () => import("../../../workflows/publish-dialog.tsx");
const loadShortcutHelp = () => import("./shortcut-help.tsx");
const loadRunDialog = () => import("../run/run-dialog.tsx");

function describeProblems(problems: readonly ItemProblem[]): string {
  if (problems.length === 0) return "No problems";
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const toText = (count: number, name: string) => `${count} ${name}${count === 1 ? "" : "s"}`;
  return [
    ...(errors > 0 ? [toText(errors, "error")] : []),
    ...(warnings > 0 ? [toText(warnings, "warning")] : []),
  ].join(", ");
}

function FirstStep({ onAdd }: { onAdd: () => void }) {
  return (
    <div className={styles.empty}>
      <div className={styles.emptyText}>
        <strong>What starts this workflow?</strong>
        <p>Add a trigger first, such as a webhook or a schedule. Then add the steps that follow.</p>
        <Button onClick={onAdd}>Add a trigger</Button>
      </div>
    </div>
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
