import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo, useContext, useState } from "react";
import { Icon } from "../../../ui/icon.tsx";
import type { LinkFlowEdge } from "../graph/flow.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";

/** A connection with the name of its case. The pointer finds buttons to add a node on it or to remove it. */
export const LinkEdge = memo((props: EdgeProps<LinkFlowEdge>) => {
  const { source, target, data } = props;
  const [path, x, y] = getBezierPath(props);
  const [isNear, setNear] = useState(false);
  const { isReadOnly, onAddAfter, onDisconnect } = useContext(CanvasContext);
  const name = data?.case;
  const edge = { from: source, to: target, ...(name !== undefined && { case: name }) };
  const near = { onPointerEnter: () => setNear(true), onPointerLeave: () => setNear(false) };
  return (
    <>
      <g {...near}>
        <BaseEdge
          path={path}
          interactionWidth={24}
          className={styles.link}
          data-taken={data?.isTaken || undefined}
        />
      </g>
      <EdgeLabelRenderer>
        {/* Only the pointer needs the buttons: keys use the inspector. */}
        <div
          className={`${styles.label} nodrag nopan`}
          data-near={(isNear && !isReadOnly) || undefined}
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          {...near}
        >
          {name !== undefined && <span className={styles.case}>{name}</span>}
          {isNear && !isReadOnly && (
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
    </>
  );
});
