import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useMediaQuery } from "@mantine/hooks";
import { useCallback, useRef, useState } from "react";
import styles from "../editor/editor.module.css";
import { InspectorSide } from "../editor/inspector-side.tsx";
import { LazyPart } from "../editor/lazy-part.tsx";
import { type Body, findItem, isTrigger } from "../graph/body.ts";
import { toTitle } from "../graph/describe-item.ts";
import { usePositions } from "../use-positions.ts";
import type { CanvasHandle } from "../view/canvas-props.ts";
import { CanvasSkeleton } from "../view/canvas-skeleton.tsx";
import { CanvasView } from "../view/canvas-view.tsx";
import { focusWhenShown } from "../view/focus-item.ts";
import look from "./run.module.css";
import { RunHeader } from "./run-header.tsx";
import { RunPanel } from "./run-panel.tsx";
import { type RunDialogName, RunDialogs } from "./start/run-dialogs.tsx";
import { useRunSelection } from "./use-run-selection.ts";
import type { ShownRun } from "./use-shown-run.ts";

type Props = { workflow: WorkflowDetail; body: Body; shown: ShownRun };

const loadRunSide = () => import("./run-side.tsx");
const nothing = () => {};
const loadDetails = () => import("./steps/step-details.tsx");

/** A run on its graph, read only. It opens at the step that failed. */
export function RunView({ workflow, body, shown }: Props) {
  const { run } = shown;
  const positions = usePositions(body);
  const flow = useRef<CanvasHandle>(null);
  const page = useRef<HTMLDivElement>(null);
  const { id, selected, select, goTo, onKeyDown } = useRunSelection({
    body,
    run,
    positions,
    page,
    flow,
  });
  const [dialog, setDialog] = useState<RunDialogName | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);
  const isWide = useMediaQuery("(min-width: 90rem)", false, {
    getInitialValueInEffect: false,
  });
  const item = id === undefined ? null : findItem(body, id);
  const title = item === null ? (id ?? "") : toTitle(item, isTrigger(body, item.id));
  return (
    <div className={styles.page} data-canvas ref={page}>
      <title>{`Run of ${workflow.name} · Hub`}</title>
      <RunHeader
        workflow={workflow}
        shown={shown}
        node={id}
        onResume={() => setDialog("resume")}
        onReplay={() => setDialog("replay")}
      />
      <div className={styles.work}>
        {isWide === true && workflow.access === "manage" && (
          <div className={look.place}>
            <LazyPart load={loadRunSide} onFailed={nothing}>
              {({ RunSide }) => <RunSide workflow={workflow.id} run={run.id} />}
            </LazyPart>
          </div>
        )}
        <div className={styles.middle}>
          {positions === null ? (
            <CanvasSkeleton />
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
          <RunPanel
            workflow={workflow.id}
            body={body}
            shown={shown}
            selected={selected}
            onGo={goTo}
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
      <RunDialogs workflow={workflow} body={body} run={run} open={dialog} onClose={closeDialog} />
    </div>
  );
}
