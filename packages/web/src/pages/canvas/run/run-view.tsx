import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";
import { PageSkeleton } from "../../../ui/page-skeleton.tsx";
import { TimeAgo } from "../../../ui/time-ago.tsx";
import { ReplayDialog } from "../../../workflows/replay-dialog.tsx";
import { WorkflowRunLink } from "../../../workflows/run-link.tsx";
import { RunModeBadge } from "../../../workflows/run-mode-badge.tsx";
import { RunStateBadge } from "../../../workflows/run-state-badge.tsx";
import { CancelRunButton } from "../../workflows/cancel-run-button.tsx";
import { describeReason } from "../../workflows/describe-run.ts";
import type { CanvasSearch } from "../canvas-search.ts";
import { BottomPanel } from "../editor/bottom-panel.tsx";
import styles from "../editor/editor.module.css";
import { InspectorSide } from "../editor/inspector-side.tsx";
import { LazyPart } from "../editor/lazy-part.tsx";
import { Outline } from "../editor/outline.tsx";
import { readShortcut } from "../editor/shortcuts.ts";
import { type Body, findItem, isTrigger } from "../graph/body.ts";
import { toTitle } from "../graph/describe-item.ts";
import { findNeighbour, sortItems } from "../graph/walk-graph.ts";
import { usePositions } from "../use-positions.ts";
import { type CanvasHandle, CanvasView } from "../view/canvas-view.tsx";
import { focusWhenShown } from "../view/focus-item.ts";
import look from "./run.module.css";
import { StepList } from "./step-list.tsx";
import type { ShownRun } from "./use-shown-run.ts";

type Props = { workflow: WorkflowDetail; body: Body; shown: ShownRun };

const address = "/workflows/$workflow/runs/$run" as const;
const loadDiagnosis = () => import("./diagnosis.tsx");
const loadResumeDialog = () => import("./resume-dialog.tsx");
const loadRunSide = () => import("./run-side.tsx");
const nothing = () => {};
const loadDetails = () => import("./step-details.tsx");

/** A run on its graph, read only. It opens at the step that failed. */
export function RunView({ workflow, body, shown }: Props) {
  const { run, isGoing } = shown;
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const positions = usePositions(body);
  const flow = useRef<CanvasHandle>(null);
  const page = useRef<HTMLDivElement>(null);
  const canFail = run.state === "failed" || Object(run.waiting_for).kind === "person";
  const [chosen, setBottom] = useState<"why" | "steps" | "outline" | null>();
  // What is wrong, until the user looks at something else.
  const bottom = chosen === undefined ? (canFail ? "why" : "steps") : chosen;
  const [isReplaying, setReplaying] = useState(false);
  const [isResuming, setResuming] = useState(false);
  const stopResuming = useCallback(() => setResuming(false), []);
  const isWide = useMediaQuery("(min-width: 90rem)");
  const isManaged = workflow.access === "manage";
  const waitsForPerson = isGoing && canFail;
  const mayResume = run.state === "failed" && run.mode === "live" && run.resumed_by_run_id === null;
  const [isClosed, setClosed] = useState(false);
  // The failed step, until the user looks at another one.
  const id = search.node ?? (isClosed ? undefined : (run.error?.node_id ?? undefined));
  const selected = useMemo(() => new Set(id === undefined ? [] : [id]), [id]);
  const select = useCallback(
    (node: string | undefined) => {
      setClosed(node === undefined);
      void navigate({
        to: ".",
        search: (before: CanvasSearch) => ({ ...before, node }),
        replace: true,
      });
    },
    [navigate],
  );
  const goTo = (node: string) => {
    select(node);
    void focusWhenShown(page.current, node).then(() => flow.current?.show(node));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const shortcut = readShortcut(event);
    if (shortcut?.kind === "leave") return select(undefined);
    if (shortcut?.kind !== "walk" || positions === null) return;
    event.preventDefault();
    const from = id ?? sortItems(body)[0];
    if (from === undefined) return;
    const to = id === undefined ? from : findNeighbour(body, from, shortcut.to, positions);
    if (to !== null) goTo(to);
  };
  const item = id === undefined ? null : findItem(body, id);
  const title = item === null ? (id ?? "") : toTitle(item, isTrigger(body, item.id));
  const reason = describeReason(run);
  return (
    <div className={styles.page} data-canvas ref={page}>
      <title>{`Run of ${workflow.name} · Hub`}</title>
      <header className={styles.bar}>
        <div className={styles.titles}>
          <h1 className={styles.title}>
            {"Run of "}
            <Link to="/workflows/$workflow" params={{ workflow: workflow.id }}>
              {workflow.name}
            </Link>
          </h1>
          <span role="status">
            <RunModeBadge mode={run.mode} /> <RunStateBadge state={run.state} />
          </span>
          <span className={styles.saved}>
            {run.version === null ? "The draft of that time" : `Version ${run.version}`}
            {" · "}
            <TimeAgo at={run.created_at} />
            {run.started_by !== null && ` · started by ${run.started_by}`}
          </span>
        </div>
        <div className={styles.actions}>
          {isManaged && (waitsForPerson || mayResume) && (
            <Button
              {...(!waitsForPerson && { variant: "default" })}
              onClick={() => setResuming(true)}
            >
              {waitsForPerson ? "Decide" : "Resume"}
            </Button>
          )}
          {isGoing && <CancelRunButton run={run} size="xs" />}
          {!isGoing && run.state !== "dropped" && workflow.access === "manage" && (
            <Button variant="default" onClick={() => setReplaying(true)}>
              Replay
            </Button>
          )}
          {workflow.access === "manage" && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/workflows/$workflow/edit"
                  params={{ workflow: workflow.id }}
                  search={{ run: run.id, ...(id !== undefined && { node: id }) }}
                />
              )}
            >
              Edit the draft
            </Button>
          )}
        </div>
      </header>
      {reason !== "" && (
        <div className={look.bar} data-bad={run.state === "failed" || undefined}>
          <span className={look.reason}>{reason}</span>
          {run.resumed_by_run_id !== null && (
            <WorkflowRunLink workflow={workflow.id} run={run.resumed_by_run_id}>
              The run that resumes it
            </WorkflowRunLink>
          )}
        </div>
      )}
      <div className={styles.work}>
        {isWide === true && isManaged && (
          <LazyPart load={loadRunSide} onFailed={nothing}>
            {({ RunSide }) => <RunSide workflow={workflow.id} run={run.id} />}
          </LazyPart>
        )}
        <div className={styles.middle}>
          {positions === null ? (
            <PageSkeleton />
          ) : (
            <CanvasView
              label="Graph of the run"
              body={body}
              positions={positions}
              selected={selected}
              onSelect={(ids) => select([...ids].at(-1))}
              toLook={shown.toLook}
              toLinkLook={shown.toLinkLook}
              onKeyDown={onKeyDown}
              onReady={(handle) => {
                flow.current = handle;
              }}
            />
          )}
          <BottomPanel
            open={bottom}
            onOpen={setBottom}
            tabs={[
              ...(canFail
                ? [
                    {
                      ...{ name: "why" as const },
                      label: run.state === "failed" ? "Why did it fail?" : "Why does it wait?",
                      content: () => (
                        <LazyPart load={loadDiagnosis} onFailed={nothing}>
                          {({ Diagnosis }) => (
                            <Diagnosis workflow={workflow.id} run={run.id} onGo={goTo} />
                          )}
                        </LazyPart>
                      ),
                    },
                  ]
                : []),
              {
                ...{ name: "steps", label: "Steps" },
                content: () => (
                  <StepList body={body} steps={shown.steps} selected={selected} onGo={goTo} />
                ),
              },
              {
                ...{ name: "outline", label: "Outline" },
                content: () => <Outline body={body} selected={selected} onGo={goTo} />,
              },
            ]}
          />
        </div>
        {id !== undefined && (
          <InspectorSide
            title={title}
            load={loadDetails}
            onLeave={() => void focusWhenShown(page.current, id)}
            onClose={() => select(undefined)}
          >
            {({ StepDetails }) => (
              <StepDetails key={id} run={run} item={item} id={id} steps={shown.findSteps(id)} />
            )}
          </InspectorSide>
        )}
      </div>
      {isResuming && (
        <LazyPart load={loadResumeDialog} onFailed={stopResuming}>
          {({ ResumeDialog }) => (
            <ResumeDialog
              workflow={workflow}
              run={run}
              onResumed={(resumed) => {
                setResuming(false);
                if (resumed === run.id) return;
                void navigate({ to: address, params: { workflow: workflow.id, run: resumed } });
              }}
              onClose={stopResuming}
            />
          )}
        </LazyPart>
      )}
      {isReplaying && (
        <ReplayDialog
          run={run}
          version={workflow.version}
          hasOtherDraft={workflow.draft?.is_published === false}
          onStarted={(started) => {
            setReplaying(false);
            void navigate({ to: address, params: { workflow: workflow.id, run: started } });
          }}
          onClose={() => setReplaying(false)}
        />
      )}
    </div>
  );
}
