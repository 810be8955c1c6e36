import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  type FinalConnectionState,
  MiniMap,
  type NodeChange,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "../../../ui/icon-button.tsx";
import type { Body, Edge, Position } from "../graph/body.ts";
import type { Place } from "../graph/commands.ts";
import {
  fromHandle,
  type ItemFlowNode,
  type ItemLook,
  type LinkFlowEdge,
  toFlowEdges,
  toFlowNodes,
} from "../graph/flow.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";
import { addFlowStyles } from "./flow-styles.ts";
import { ItemNode } from "./item-node.tsx";
import { LinkEdge } from "./link-edge.tsx";

addFlowStyles();

type Positions = Readonly<Record<string, Position>>;

type Props = {
  /** Names the graph for screen readers. */
  label: string;
  body: Body;
  positions: Positions;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  toLook: (id: string) => ItemLook;
  isTaken: (link: { from: string; to: string; case: string | undefined }) => boolean;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  /** Absent on a canvas that is only read. */
  edit?: {
    onMove: (positions: Positions) => void;
    onConnect: (edge: Edge) => void;
    onDisconnect: (edge: Edge) => void;
    onAddAfter: (place: Place) => void;
    /** A dragged entry of the palette was dropped here. */
    onDrop: (data: string, at: Position) => void;
    onTidy: () => void;
  };
  /** Gets the canvas when it is ready. */
  onReady: (flow: CanvasHandle) => void;
  children?: ReactNode;
};

/** What the page asks of the canvas. */
export type CanvasHandle = {
  /** The middle of what is visible. */
  findCentre(): Position;
  /** Moves the view to an item that is not visible. */
  show(id: string): void;
  fit(): void;
};

const nodeTypes = { item: ItemNode };
const edgeTypes = { link: LinkEdge };
const fitOptions = { padding: 0.2, maxZoom: 1 };

export function CanvasView(props: Props) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph(props: Props) {
  const { body, positions, selected, onSelect, toLook, isTaken, edit } = props;
  const isReadOnly = edit === undefined;
  const pane = useRef<HTMLDivElement>(null);
  const [nodes, setNodes] = useState<ItemFlowNode[]>([]);
  const first = body.triggers[0]?.id ?? body.nodes[0]?.id ?? null;
  const [only = first] = selected;
  useEffect(() => {
    const options = { positions, selected, toLook, isReadOnly, tabStop: only };
    setNodes((before) => {
      const measured = new Map(before.map((node) => [node.id, node.measured]));
      return toFlowNodes(body, options).map((node) => ({
        ...node,
        measured: measured.get(node.id) ?? { width: node.width ?? 0, height: node.height ?? 0 },
      }));
    });
  }, [body, positions, selected, toLook, isReadOnly, only]);
  const edges = useMemo(() => toFlowEdges(body, isTaken), [body, isTaken]);

  const onNodesChange = (changes: Array<NodeChange<ItemFlowNode>>) => {
    setNodes((before) => applyNodeChanges(changes, before));
    const selects = changes.filter((change) => change.type === "select");
    if (selects.length === 0) return;
    const ids = new Set(selected);
    for (const { id, selected: isSelected } of selects) {
      if (isSelected) ids.add(id);
      else ids.delete(id);
    }
    onSelect(ids);
  };
  const onDragStop = (_: unknown, __: unknown, dragged: ItemFlowNode[]) =>
    edit?.onMove(
      Object.fromEntries(
        dragged.map(({ id, position }) => [id, [Math.round(position.x), Math.round(position.y)]]),
      ),
    );
  const onConnect = ({ source, target, sourceHandle }: Connection) => {
    const name = fromHandle(sourceHandle);
    edit?.onConnect({ from: source, to: target, ...(name !== undefined && { case: name }) });
  };
  const onConnectEnd = (_: unknown, state: FinalConnectionState) => {
    // A line that ends on the ground asks for a new node there.
    const { fromHandle: handle, isValid, toNode } = state;
    if (isValid === true || toNode !== null || handle?.type !== "source") return;
    edit?.onAddAfter({ from: handle.nodeId, case: fromHandle(handle.id) });
  };
  const flow = useReactFlow<ItemFlowNode, LinkFlowEdge>();
  const toHandle = (): CanvasHandle => ({
    findCentre() {
      const area = pane.current?.getBoundingClientRect() ?? new DOMRect();
      const { x, y } = flow.screenToFlowPosition({
        x: area.x + area.width / 2,
        y: area.y + area.height / 2,
      });
      return [x - 116, y - 32];
    },
    show: (id) => showNode(flow, pane.current, id),
    fit: () => void flow.fitView(fitOptions),
  });
  const actions = {
    isReadOnly,
    onAddAfter: (place: Place) => edit?.onAddAfter(place),
    onDisconnect: (edge: Edge) => edit?.onDisconnect(edge),
  };
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
          if (isOfGraph(event.target, event.currentTarget)) props.onKeyDown(event);
        }}
        onDragOver={(event) => {
          if (edit === undefined) return;
          event.preventDefault();
          event.dataTransfer.dropEffect = "copy";
        }}
        onDrop={(event) => {
          const data = event.dataTransfer.getData("application/x-hub-item");
          if (edit === undefined || data === "") return;
          event.preventDefault();
          const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
          edit.onDrop(data, [at.x - 116, at.y - 32]);
        }}
      >
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onNodeDragStop={onDragStop}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          isValidConnection={({ source, target }) => source !== target}
          onInit={() => props.onReady(toHandle())}
          fitView
          fitViewOptions={fitOptions}
          minZoom={0.1}
          maxZoom={2}
          snapToGrid
          snapGrid={[16, 16]}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode={["Shift", "Meta", "Control"]}
          selectionMode={SelectionMode.Partial}
          nodeClickDistance={4}
          connectionRadius={32}
          // Large graphs stay fast, because only what is visible is drawn.
          onlyRenderVisibleElements={nodes.length > 100}
          proOptions={{ hideAttribution: true }}
        >
          {!isReadOnly && (
            <Background variant={BackgroundVariant.Dots} gap={16} size={1.25} color="var(--dots)" />
          )}
          <MiniMap
            className={styles.map}
            ariaLabel={null}
            pannable
            zoomable
            nodeColor="var(--edge)"
            maskColor="color-mix(in srgb, var(--ground) 70%, transparent)"
            bgColor="var(--card)"
            style={{ width: 144, height: 96 }}
          />
          <Zoom onTidy={edit?.onTidy} />
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

function Zoom({ onTidy }: { onTidy: (() => void) | undefined }) {
  const flow = useReactFlow();
  const zoom = useStore(({ transform }) => Math.round(transform[2] * 100));
  return (
    <Panel position="bottom-left" className={styles.zoom}>
      <IconButton icon="minus" label="Zoom out" onClick={() => void flow.zoomOut()} />
      <span className={styles.percent}>{`${zoom} %`}</span>
      <IconButton icon="plus" label="Zoom in" onClick={() => void flow.zoomIn()} />
      <IconButton
        icon="fit"
        label="Fit to the window"
        onClick={() => void flow.fitView(fitOptions)}
      />
      {onTidy !== undefined && <IconButton icon="tidy" label="Tidy up" onClick={onTidy} />}
    </Panel>
  );
}

function showNode(
  flow: ReactFlowInstance<ItemFlowNode, LinkFlowEdge>,
  pane: HTMLElement | null,
  id: string,
): void {
  const node = flow.getInternalNode(id);
  if (node === undefined || pane === null) return;
  const { x, y } = node.internals.positionAbsolute;
  const area = pane.getBoundingClientRect();
  const start = flow.flowToScreenPosition({ x, y });
  const end = flow.flowToScreenPosition({ x: x + 232, y: y + 64 });
  const isVisible =
    start.x >= area.left && start.y >= area.top && end.x <= area.right && end.y <= area.bottom;
  if (!isVisible) void flow.setCenter(x + 116, y + 32, { zoom: flow.getZoom() });
}
