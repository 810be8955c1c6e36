import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { memo, useContext, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { LinkFlowEdge } from "../graph/flow.ts";
import { CanvasContext } from "./canvas-context.ts";
import { ChangeBadge } from "./change-badge.tsx";
import ends from "./ends.module.css";
import styles from "./link-edge.module.css";
import { toLinkPath } from "./link-path.ts";
import { LinkRegistryContext, toLabelTransform } from "./link-registry.ts";

/** A connection. The name of its case is at the node where it starts. The pointer finds buttons to add a node on it or to remove it. */
export const LinkEdge = memo((props: EdgeProps<LinkFlowEdge>) => {
  const { id, source, target, data } = props;
  const targetHalfPx = data?.targetHalfPx ?? 0;
  const [path, x, y] = toLinkPath(props, targetHalfPx);
  const group = useRef<SVGGElement>(null);
  const label = useRef<HTMLDivElement>(null);
  const registry = useContext(LinkRegistryContext);
  useLayoutEffect(() => {
    if (group.current === null) return;
    registry.set(id, { ends: props, targetHalfPx, group: group.current, label: label.current });
    return () => void registry.delete(id);
  });
  const [isNear, setNear] = useState(false);
  const { isReadOnly, onAddAfter, onDisconnect } = useContext(CanvasContext);
  const name = data?.case;
  const edge = { from: source, to: target, ...(name !== undefined && { case: name }) };
  const isOpen = isNear && !isReadOnly;
  const hasLabel = isOpen || data?.isUnknown || data?.note != null || data?.change != null;
  const near = { onPointerEnter: () => setNear(true), onPointerLeave: () => setNear(false) };
  return (
    <>
      <g ref={group} {...near}>
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
            ref={label}
            className={`${styles.label} nodrag nopan`}
            data-link={id}
            data-near={isOpen || undefined}
            style={{ transform: toLabelTransform(x, y) }}
            {...near}
          >
            {data?.change != null && <ChangeBadge change={data.change} isShort />}
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
                  className={ends.add}
                  aria-label={`Add between ${source} and ${target}`}
                  onClick={(event) => {
                    const anchor = event.currentTarget.getBoundingClientRect();
                    onAddAfter({ ...edge }, { anchor });
                  }}
                >
                  <Icon name="plus" />
                </button>
                <button
                  type="button"
                  tabIndex={-1}
                  className={ends.add}
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
