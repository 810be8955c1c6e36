import {
  type Connection,
  Panel,
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
  SelectionMode,
} from "@xyflow/react";
import { useMemo, useRef, useState } from "react";
import { type CanvasNode, type LinkFlowEdge, toFlowEdges } from "../graph/flow.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";
import type { CanvasProps } from "./canvas-props.ts";
import { chooseStart } from "./choose-start.ts";
import { CommentNode } from "./comment-node.tsx";
import { addFlowStyles } from "./flow-styles.ts";
import { Ground } from "./ground.tsx";
import { ItemNode } from "./item-node.tsx";
import { LinkEdge } from "./link-edge.tsx";
import { MiniMap } from "./mini-map.tsx";
import { useCanvasActions } from "./use-canvas-actions.ts";
import { useCanvasHandle } from "./use-canvas-handle.ts";
import { useFlowNodes } from "./use-flow-nodes.ts";
import { useLinkDrops } from "./use-link-drops.ts";
import { useStable } from "./use-stable.ts";
import { ZoomPanel } from "./zoom-panel.tsx";

addFlowStyles();

/** What never changes, so that the graph library does not compare it. */
const flowOptions = {
  nodeTypes: { item: ItemNode, comment: CommentNode },
  edgeTypes: { link: LinkEdge },
  isValidConnection: ({ source, target }: Connection | LinkFlowEdge) => source !== target,
  fitView: true,
  minZoom: 0.1,
  maxZoom: 2,
  snapToGrid: true,
  snapGrid: [16, 16],
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
  const pane = useRef<HTMLDivElement>(null);
  const { nodes, onNodesChange } = useFlowNodes({
    body,
    positions,
    selected,
    onSelect,
    toLook,
    isReadOnly,
  });
  const edges = useMemo(() => toFlowEdges(body, toLinkLook), [body, toLinkLook]);

  const onMove = useStable((event: MouseEvent | TouchEvent | null) => {
    if (event?.type === "mousemove") pane.current?.toggleAttribute("data-panning", true);
  });
  const onMoveEnd = useStable(() => void pane.current?.removeAttribute("data-panning"));
  const { onNodeDrag, onNodeDragStop, ...drops } = useLinkDrops({ body, edit, edges, pane });
  const { onConnect, onConnectEnd, actions } = useCanvasActions(edit);
  const onInit = useCanvasHandle(pane, props.onReady);
  const [start] = useState(() => toStart(props));
  return (
    <CanvasContext value={actions}>
      <section
        ref={pane}
        className={styles.pane}
        aria-label={props.label}
        data-read-only={isReadOnly || undefined}
        // A click on the ground gives it the focus, so that its keys work.
        tabIndex={-1}
        onKeyDown={(event) => {
          if (isOfGraph(event.target, event.currentTarget)) props.onKeyDown?.(event);
        }}
        {...drops}
      >
        <Ground />
        <ReactFlow
          {...flowOptions}
          nodes={nodes}
          edges={edges}
          onNodesChange={onNodesChange}
          onNodeDrag={onNodeDrag}
          onNodeDragStop={onNodeDragStop}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          onInit={onInit}
          onMove={onMove}
          onMoveEnd={onMoveEnd}
          fitViewOptions={start}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          // Large graphs stay fast, because only what is visible is drawn.
          onlyRenderVisibleElements={nodes.length > 100}
        >
          {startAt === undefined && (
            <Panel position="bottom-right">
              <MiniMap />
            </Panel>
          )}
          <ZoomPanel onTidy={edit?.onTidy} />
        </ReactFlow>
        {props.children}
      </section>
    </CanvasContext>
  );
}

/** Whether a key is for the graph, and not for a button on it. */
function isOfGraph(target: EventTarget, pane: HTMLElement): boolean {
  return target === pane || (target instanceof Element && target.closest("[data-item]") !== null);
}

function toStart({ body, positions, selected, startAt }: CanvasProps) {
  if (startAt === undefined) return chooseStart(body, positions, [...selected][0]);
  return { padding: 0.12, maxZoom: 1, nodes: startAt.map((id) => ({ id })) };
}
