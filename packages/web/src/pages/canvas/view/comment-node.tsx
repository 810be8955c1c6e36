import { type NodeProps, useReactFlow } from "@xyflow/react";
import { memo, type PointerEvent, useContext, useRef, useState } from "react";
import type { Position } from "../graph/body.ts";
import { toCommentKey } from "../graph/comments.ts";
import type { CommentFlowNode } from "../graph/flow.ts";
import { CanvasContext } from "./canvas-context.ts";
import { ChangeBadge } from "./change-badge.tsx";
import styles from "./comment-node.module.css";
import unseen from "./unseen.module.css";

const sizeMin: Position = [96, 48];
const sizeMax: Position = [2000, 2000];

/** A text behind the graph. Its corner resizes it. */
export const CommentNode = memo(({ data, selected }: NodeProps<CommentFlowNode>) => {
  const { comment, isReadOnly, isTabStop, change } = data;
  const { onResize } = useContext(CanvasContext);
  const flow = useReactFlow();
  const [size, setSize] = useState<Position | null>(null);
  const start = useRef<Position | null>(null);
  const [width, height] = size ?? comment.size;
  const toSize = ({ clientX, clientY }: PointerEvent): Position => {
    const [fromX, fromY] = start.current ?? [clientX, clientY];
    const zoom = flow.getZoom();
    const by = [(clientX - fromX) / zoom, (clientY - fromY) / zoom];
    const [byX = 0, byY = 0] = by;
    const fit = (at: 0 | 1, value: number) =>
      Math.min(sizeMax[at], Math.max(sizeMin[at], Math.round(value / 16) * 16));
    return [fit(0, comment.size[0] + byX), fit(1, comment.size[1] + byY)];
  };
  const end = (event: PointerEvent) => {
    if (start.current === null) return;
    onResize(toCommentKey(comment.id), toSize(event));
    start.current = null;
    setSize(null);
  };
  return (
    <>
      <button
        type="button"
        className={styles.comment}
        style={{ width, height }}
        data-item={toCommentKey(comment.id)}
        data-selected={selected || undefined}
        data-change={change ?? undefined}
        tabIndex={isTabStop ? 0 : -1}
        aria-current={selected || undefined}
      >
        <span className={unseen.unseen}>Comment: </span>
        <span className={styles.text}>{comment.text}</span>
        {comment.text === "" && <span className={styles.empty}>Empty comment</span>}
        {change !== null && <ChangeBadge change={change} />}
      </button>
      {!isReadOnly && (
        // Only the pointer needs it: keys use the size in the inspector.
        <span
          className={`${styles.corner} nodrag nopan`}
          style={{ left: width, top: height }}
          aria-hidden="true"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            start.current = [event.clientX, event.clientY];
          }}
          onPointerMove={(event) => start.current !== null && setSize(toSize(event))}
          onPointerUp={end}
          onPointerCancel={end}
        />
      )}
    </>
  );
});
