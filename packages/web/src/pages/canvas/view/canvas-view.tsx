import {
  applyNodeChanges,
  type Connection,
  type FinalConnectionState,
  type NodeChange,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
} from "@xyflow/react";
import {
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Body, Edge, Position } from "../graph/body.ts";
import { isFree, type Place } from "../graph/commands.ts";
import {
  type CanvasNode,
  fromHandle,
  type ItemLook,
  type LinkFlowEdge,
  type LinkLook,
  toFlowEdges,
  toFlowNodes,
} from "../graph/flow.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";
import { chooseStart, fitOptions } from "./choose-start.ts";
import { CommentNode } from "./comment-node.tsx";
import { findLinkAt, itemData, markLink, nodeData } from "./drop-link.ts";
import { addFlowStyles } from "./flow-styles.ts";
import { Ground } from "./ground.tsx";
import { ItemNode } from "./item-node.tsx";
import { LinkEdge } from "./link-edge.tsx";
import { MiniMap } from "./mini-map.tsx";
import { showNode } from "./show-node.ts";
import { useStable } from "./use-stable.ts";
import { ZoomPanel } from "./zoom-panel.tsx";

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
  toLinkLook?: (link: Edge) => LinkLook;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  /** Absent on a canvas that is only read. */
  edit?: {
    onMove: (positions: Positions) => void;
    onConnect: (edge: Edge) => void;
    onDisconnect: (edge: Edge) => void;
    onAddAfter: (place: Place) => void;
    /** A dragged entry of the palette was dropped here, or on a connection. */
    onDrop: (data: string, at: Position, on: Place | null) => void;
    /** A node without connections was dropped on a connection. */
    onSplice: (id: string, place: Place, positions: Positions) => void;
    onResize: (id: string, size: Position) => void;
    onTidy: () => void;
  };
  /** On a small picture: what is visible at first. It has no map. */
  startAt?: readonly string[];
  /** Gets the canvas when it is ready. */
  onReady?: (flow: CanvasHandle) => void;
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

const nodeTypes = { item: ItemNode, comment: CommentNode };
const edgeTypes = { link: LinkEdge };
const snapGrid: [number, number] = [16, 16];
const multiSelectionKeys = ["Shift", "Meta", "Control"];
const proOptions = { hideAttribution: true };
const isValidConnection = ({ source, target }: Connection | LinkFlowEdge) => source !== target;

export function CanvasView(props: Props) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph(props: Props) {
  const { body, positions, selected, onSelect, toLook, toLinkLook, edit, startAt } = props;
  const isReadOnly = edit === undefined;
  const pane = useRef<HTMLDivElement>(null);
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
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
  const edges = useMemo(() => toFlowEdges(body, toLinkLook), [body, toLinkLook]);

  const onNodesChange = useStable((changes: Array<NodeChange<CanvasNode>>) => {
    setNodes((before) => applyNodeChanges(changes, before));
    const selects = changes.filter((change) => change.type === "select");
    if (selects.length === 0) return;
    const ids = new Set(selected);
    for (const { id, selected: isSelected } of selects) {
      if (isSelected) ids.add(id);
      else ids.delete(id);
    }
    onSelect(ids);
  });
  /** The connection below a single node that has none itself. */
  const findLinkBelow = (event: MouseEvent | TouchEvent, dragged: readonly CanvasNode[]) => {
    const [node, another] = dragged;
    if (node === undefined || another !== undefined || !isFree(body, node.id)) return null;
    const point = "clientX" in event ? event : event.changedTouches[0];
    return point === undefined ? null : findLinkAt(edges, point);
  };
  const onNodeDrag = useStable((event: MouseEvent | TouchEvent, _: CanvasNode, all: CanvasNode[]) =>
    markLink(pane.current, findLinkBelow(event, all)),
  );
  const onNodeDragStop = useStable(
    (event: MouseEvent | TouchEvent, _: CanvasNode, all: CanvasNode[]) => {
      const moved = Object.fromEntries(
        all.map(({ id, position }) => [
          id,
          [Math.round(position.x), Math.round(position.y)] as const,
        ]),
      );
      const link = findLinkBelow(event, all);
      markLink(pane.current, null);
      const [id] = Object.keys(moved);
      if (link !== null && id !== undefined) edit?.onSplice(id, toPlace(link), moved);
      else edit?.onMove(moved);
    },
  );
  const onConnect = useStable(({ source, target, sourceHandle }: Connection) => {
    const name = fromHandle(sourceHandle);
    edit?.onConnect({ from: source, to: target, ...(name !== undefined && { case: name }) });
  });
  const onConnectEnd = useStable((_: unknown, state: FinalConnectionState) => {
    // A line that ends on the ground asks for a new node there.
    const { fromHandle: handle, isValid, toNode } = state;
    if (isValid === true || toNode !== null || handle?.type !== "source") return;
    edit?.onAddAfter({ from: handle.nodeId, case: fromHandle(handle.id) });
  });
  const onMove = useStable((event: MouseEvent | TouchEvent | null) => {
    if (event?.type === "mousemove") pane.current?.toggleAttribute("data-panning", true);
  });
  const onMoveEnd = useStable(() => void pane.current?.removeAttribute("data-panning"));
  const flow = useReactFlow<CanvasNode, LinkFlowEdge>();
  const onInit = useStable(() =>
    props.onReady?.({
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
    }),
  );
  const onAddAfter = useStable((place: Place) => edit?.onAddAfter(place));
  const onDisconnect = useStable((edge: Edge) => edit?.onDisconnect(edge));
  const onResize = useStable((id: string, size: Position) => edit?.onResize(id, size));
  const actions = useMemo(
    () => ({ isReadOnly, onAddAfter, onDisconnect, onResize }),
    [isReadOnly, onAddAfter, onDisconnect, onResize],
  );
  const [start] = useState(() =>
    startAt === undefined
      ? chooseStart(body, positions, [...selected][0])
      : { padding: 0.12, maxZoom: 1, nodes: startAt.map((id) => ({ id })) },
  );
  const onDragOver = (event: DragEvent<HTMLElement>) => {
    if (edit === undefined) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const isNode = event.dataTransfer.types.includes(nodeData);
    markLink(pane.current, isNode ? findLinkAt(edges, event) : null);
  };
  const onDrop = (event: DragEvent<HTMLElement>) => {
    const data = event.dataTransfer.getData(itemData);
    const link = event.dataTransfer.types.includes(nodeData) ? findLinkAt(edges, event) : null;
    markLink(pane.current, null);
    if (edit === undefined || data === "") return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    edit.onDrop(data, [at.x - 116, at.y - 32], link && toPlace(link));
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
          if (isOfGraph(event.target, event.currentTarget)) props.onKeyDown?.(event);
        }}
        onDragOver={onDragOver}
        onDragLeave={() => markLink(pane.current, null)}
        onDrop={onDrop}
      >
        <Ground />
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onNodeDrag={onNodeDrag}
          onNodeDragStop={onNodeDragStop}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          isValidConnection={isValidConnection}
          onInit={onInit}
          onMove={onMove}
          onMoveEnd={onMoveEnd}
          fitView
          fitViewOptions={start}
          minZoom={0.1}
          maxZoom={2}
          snapToGrid
          snapGrid={snapGrid}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode="Shift"
          multiSelectionKeyCode={multiSelectionKeys}
          selectionMode={SelectionMode.Partial}
          nodeClickDistance={4}
          connectionRadius={32}
          // Large graphs stay fast, because only what is visible is drawn.
          onlyRenderVisibleElements={nodes.length > 100}
          proOptions={proOptions}
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

function toPlace({ source, target, data }: LinkFlowEdge): Place {
  return { from: source, case: data?.case, to: target };
}

/** Whether a key is for the graph, and not for a button on it. */
function isOfGraph(target: EventTarget, pane: HTMLElement): boolean {
  return target === pane || (target instanceof Element && target.closest("[data-item]") !== null);
}
