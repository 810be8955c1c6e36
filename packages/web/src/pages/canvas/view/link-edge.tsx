import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo, useContext, useState } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { LinkFlowEdge } from "../graph/flow.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";
import { ChangeBadge } from "./change-badge.tsx";

/** A connection with the name of its case. The pointer finds buttons to add a node on it or to remove it. */
export const LinkEdge = memo((props: EdgeProps<LinkFlowEdge>) => {
  const { id, source, target, data } = props;
  const [path, x, y] = getBezierPath(props);
  const [isNear, setNear] = useState(false);
  const { isReadOnly, onAddAfter, onDisconnect } = useContext(CanvasContext);
  const name = data?.case;
  const edge = { from: source, to: target, ...(name !== undefined && { case: name }) };
  const isOpen = isNear && !isReadOnly;
  const hasLabel =
    isOpen || name !== undefined || data?.isUnknown || data?.note != null || data?.change != null;
  const near = { onPointerEnter: () => setNear(true), onPointerLeave: () => setNear(false) };
  return (
    <>
      <g {...near}>
        <BaseEdge
          path={path}
          interactionWidth={24}
          className={styles.link}
          data-taken={data?.isTaken || undefined}
          data-unknown={data?.isUnknown}
          data-change={data?.change ?? undefined}
        />
      </g>
      {/* Each label costs time while the graph is zoomed. */}
      {hasLabel && (
        <EdgeLabelRenderer>
          {/* Only the pointer needs the buttons: keys use the inspector. */}
          <div
            className={`${styles.label} nodrag nopan`}
            data-link={id}
            data-near={isOpen || undefined}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            {...near}
          >
            {data?.change != null && <ChangeBadge change={data.change} isShort />}
            {name !== undefined && <span className={styles.case}>{name}</span>}
            {data?.isUnknown && <span className={styles.case}>not known</span>}
            {data?.note != null && (
              <span className={styles.case} title={data.note.why}>
                {data.note.text}
              </span>
            )}
            {isOpen && (
              <>
                <button
                  type="button"
                  tabIndex={-1}
                  className={styles.add}
                  aria-label={`Add between ${source} and ${target}`}
                  onClick={() => onAddAfter({ ...edge })}
                >
                  <Icon name="plus" />
                </button>
                <button
                  type="button"
                  tabIndex={-1}
                  className={styles.add}
                  aria-label={`Disconnect ${source} and ${target}`}
                  onClick={() => onDisconnect(edge)}
                >
                  <Icon name="trash" />
                </button>
              </>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
