import {
  type Connection,
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
} from "@xyflow/react";
import { type CSSProperties, lazy, Suspense, useMemo, useRef, useState } from "react";
import { type CanvasNode, type LinkFlowEdge, toFlowEdges } from "../graph/flow.ts";
import { gridPx } from "../graph/grid.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";
import type { CanvasProps } from "./canvas-props.ts";
import { chooseStart } from "./choose-start.ts";
import { CommentNode } from "./comment-node.tsx";
import { addFlowStyles } from "./flow-styles.ts";
import { Ground } from "./ground.tsx";
import { ItemNode } from "./item-node.tsx";
import { LinkEdge } from "./link-edge.tsx";
import { type LinkRegistry, LinkRegistryContext } from "./link-registry.ts";
import { useCanvasActions } from "./use-canvas-actions.ts";
import { useCanvasHandle } from "./use-canvas-handle.ts";
import { useCanvasMotion } from "./use-canvas-motion.ts";
import { useFlowNodes } from "./use-flow-nodes.ts";
import { useFrameEvents } from "./use-frame-events.ts";
import { useItemRows } from "./use-item-rows.ts";
import { useLightDrag } from "./use-light-drag.ts";
import { useLinkDrops } from "./use-link-drops.ts";
import { useStable } from "./use-stable.ts";
import { zoomByKey } from "./zoom-keys.ts";

addFlowStyles();

const CanvasControls = lazy(async () => ({
  default: (await import("./canvas-controls.tsx")).CanvasControls,
}));

/** What never changes, so that the graph library does not compare it. */
const flowOptions = {
  nodeTypes: { item: ItemNode, comment: CommentNode },
  edgeTypes: { link: LinkEdge },
  isValidConnection: ({ source, target }: Connection | LinkFlowEdge) => source !== target,
  fitView: true,
  minZoom: 0.1,
  maxZoom: 2,
  snapToGrid: true,
  snapGrid: [...gridPx],
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: true,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: "Shift",
  multiSelectionKeyCode: ["Shift", "Meta", "Control"],
  selectionMode: SelectionMode.Partial,
  nodeClickDistance: 4,
  connectionRadius: 32,
  proOptions: { hideAttribution: true },
} satisfies Partial<ReactFlowProps<CanvasNode, LinkFlowEdge>>;

/** Of a graph with more items, only what is visible is drawn, so that all of it follows each move. */
const shownMax = 400;

export function CanvasView(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph(props: CanvasProps) {
  const { body, positions, selected, onSelect, toLook, toLinkLook, edit, startAt } = props;
  const isReadOnly = edit === undefined;
  const flow = useReactFlow();
  const pane = useRef<HTMLDivElement>(null);
  const edges = useMemo(() => toFlowEdges(body, toLinkLook), [body, toLinkLook]);
  const [registry] = useState<LinkRegistry>(() => new Map());
  const isLarge = Object.keys(positions).length > shownMax;
  const events = useFrameEvents(pane);
  const { motion, start, props: moving } = useCanvasMotion(pane, events, !isLarge);
  const onDrag = useLightDrag({ pane, edges, registry, motion, events });
  const { endDrag, ...flowNodes } = useFlowNodes({
    body,
    positions,
    selected,
    onSelect,
    toLook,
    isReadOnly,
    rows: useItemRows(body),
    onDrag,
  });

  const { onNodeDrag, onNodeDragStop, ...drops } = useLinkDrops({
    body,
    edit,
    edges,
    pane,
    onDragEnd: endDrag,
  });
  const { onConnect, onConnectEnd, actions } = useCanvasActions(edit);
  const onReady = useCanvasHandle(pane, props.onReady);
  const onInit = useStable(() => {
    start();
    onReady();
  });
  const [opened] = useState(() => toStart(props));
  return (
    <CanvasContext value={actions}>
      <LinkRegistryContext value={registry}>
        <section
          ref={pane}
          className={styles.pane}
          aria-label={props.label}
          data-read-only={isReadOnly || undefined}
          // A click on the ground gives it the focus, so that its keys work.
          tabIndex={-1}
          style={useMemo(() => toBounds(positions), [positions])}
          onKeyDown={(event) => {
            if (!isOfGraph(event.target, event.currentTarget)) return;
            if (!zoomByKey(event, flow)) props.onKeyDown?.(event);
          }}
          {...drops}
        >
          <Ground motion={motion} />
          <ReactFlow
            {...flowOptions}
            {...flowNodes}
            edges={edges}
            onNodeDrag={onNodeDrag}
            onNodeDragStop={onNodeDragStop}
            onConnect={onConnect}
            onConnectEnd={onConnectEnd}
            onInit={onInit}
            {...moving}
            fitViewOptions={opened}
            nodesDraggable={!isReadOnly}
            nodesConnectable={!isReadOnly}
            onlyRenderVisibleElements={isLarge}
          >
            <Suspense>
              <CanvasControls
                motion={motion}
                hasMap={startAt === undefined}
                onTidy={edit?.onTidy}
              />
            </Suspense>
          </ReactFlow>
          {props.children}
        </section>
      </LinkRegistryContext>
    </CanvasContext>
  );
}

/** Whether a key is for the graph, and not for a button on it. */
function isOfGraph(target: EventTarget, pane: HTMLElement): boolean {
  return target === pane || (target instanceof Element && target.closest("[data-item]") !== null);
}

/** The area of the graph, with what its items show around them, as variables of the styles. */
function toBounds(positions: CanvasProps["positions"]): CSSProperties {
  const places = Object.values(positions);
  const [left, top] = ([0, 1] as const).map((axis) =>
    Math.min(...places.map((place) => place[axis])),
  );
  const [right, bottom] = ([0, 1] as const).map((axis) =>
    Math.max(...places.map((place) => place[axis])),
  );
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    return {};
  const sides = {
    "--left": `${left - aroundPx}px`,
    "--top": `${top - aroundPx}px`,
    "--width": `${right - left + 2 * aroundPx}px`,
    "--height": `${bottom - top + 2 * aroundPx}px`,
  };
  return sides as CSSProperties;
}

const aroundPx = 400;

function toStart({ body, positions, selected, startAt }: CanvasProps) {
  if (startAt === undefined) return chooseStart(body, positions, [...selected][0]);
  // Nothing that differs is below the buttons of the zoom.
  const padding = { x: 0.12, top: 0.12, bottom: "60px" } as const;
  return { padding, maxZoom: 1, nodes: startAt.map((id) => ({ id })) };
}
