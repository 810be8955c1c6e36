import { Button } from "@mantine/core";
import type { KeyboardEvent, RefObject } from "react";
import { askLayout } from "../../ask-layout.ts";
import type { Edge, Position } from "../../graph/body.ts";
import { connect, disconnect, type InsertPoint, move, splice } from "../../graph/commands.ts";
import { setComment } from "../../graph/comments.ts";
import { type ItemLook, type LinkLook, toLayoutInput } from "../../graph/flow.ts";
import type { CanvasHandle, Spot } from "../../view/canvas-props.ts";
import { CanvasView } from "../../view/canvas-view.tsx";
import styles from "../editor.module.css";
import { type NewItem, readNewItem } from "../palette/new-item.ts";
import type { DraftEditor } from "./use-draft.ts";

type Props = {
  draft: DraftEditor;
  positions: Readonly<Record<string, Position>>;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  toLook: (id: string) => ItemLook;
  toLinkLook: ((link: Edge) => LinkLook) | undefined;
  /** Is given the canvas when it is ready. */
  flow: RefObject<CanvasHandle | null>;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  /** Opens the palette, to add an item behind another one or anywhere. */
  onAdd: (at: InsertPoint | null, spot: Spot | null) => void;
  /** An entry of the palette was dropped, maybe on a connection. */
  onDrop: (item: NewItem, on: InsertPoint | null, at: Position) => void;
  /** Whether the palette is open. */
  isAdding: boolean;
};

/** The graph of the draft, which the pointer changes. */
export function DraftGraph(props: Props) {
  const { draft, positions, toLinkLook, flow, onAdd, onDrop, isAdding } = props;
  const { body, apply } = draft;
  const isEmpty = body.nodes.length + body.triggers.length === 0 && !body.comments;
  return (
    <CanvasView
      label="Workflow graph"
      body={body}
      positions={positions}
      selected={props.selected}
      onSelect={props.onSelect}
      toLook={props.toLook}
      {...(toLinkLook !== undefined && { toLinkLook })}
      onKeyDown={props.onKeyDown}
      onReady={(handle) => {
        flow.current = handle;
      }}
      edit={{
        onMove: (moved) => apply((before) => move(before, { ...positions, ...moved })),
        onConnect: (edge) => apply((before) => connect(before, edge)),
        onDisconnect: (edge) => apply((before) => disconnect(before, edge)),
        onAddAfter: onAdd,
        onDrop(data, at, on) {
          const item = readNewItem(data);
          if (item !== null) onDrop(item, on, at);
        },
        onSplice: (id, point, moved) =>
          apply((before) => splice(move(before, { ...positions, ...moved }), id, point)),
        onResize: (key, size) => apply((before) => setComment(before, key, { size })),
        onTidy: () =>
          void askLayout(toLayoutInput(body)).then((found) => {
            if (found === null) return;
            apply((before) => move(before, found));
            requestAnimationFrame(() => flow.current?.fit());
          }),
      }}
    >
      {isEmpty && !isAdding && <FirstStep onAdd={() => onAdd(null, null)} />}
    </CanvasView>
  );
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
