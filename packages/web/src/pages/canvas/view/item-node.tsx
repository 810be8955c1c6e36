import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo, useContext } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { describeItem, toTitle } from "../graph/describe-item.ts";
import { type ItemData, type ItemFlowNode, toHandle } from "../graph/flow.ts";
import { findItemType } from "../graph/item-types.ts";
import styles from "./canvas.module.css";
import { CanvasContext } from "./canvas-context.ts";
import { ChangeBadge, changeNames } from "./change-badge.tsx";
import { stateIcons, stateNames } from "./item-states.ts";

/** A trigger or node: icon, name, one line of what it does, and an end for each output. */
export const ItemNode = memo(
  ({ data, selected }: NodeProps<ItemFlowNode>) => {
    const { item, isTrigger, outputs, state, note, problem, isReadOnly, isTabStop } = data;
    const { change = null } = data;
    const title = toTitle(item, isTrigger);
    const { icon } = findItemType(item, isTrigger);
    const { onAddAfter } = useContext(CanvasContext);
    return (
      <>
        {!isTrigger && (
          <Handle
            type="target"
            position={Position.Left}
            className={styles.handle}
            isConnectable={!isReadOnly}
          />
        )}
        <button
          type="button"
          className={styles.item}
          data-item={item.id}
          data-trigger={isTrigger || undefined}
          data-selected={selected || undefined}
          data-state={state ?? undefined}
          data-change={change ?? undefined}
          tabIndex={isTabStop ? 0 : -1}
          aria-current={selected || undefined}
        >
          <span className={styles.icon} data-kind={isTrigger ? "trigger" : item.type}>
            <Icon name={icon} />
          </span>
          <span className={styles.texts}>
            <span className={styles.name}>{title}</span>
            <span className={styles.line}>{describeItem(item, isTrigger)}</span>
            <span className={styles.unseen}>{toMore(data)}</span>
          </span>
          {state !== null && (
            <span className={styles.state} data-state={state} title={stateNames[state]}>
              <Icon name={stateIcons[state]} />
            </span>
          )}
          {change !== null && <ChangeBadge change={change} />}
          {note !== null && <span className={styles.note}>{note}</span>}
          {state === null && problem !== null && (
            <span className={styles.problem} data-severity={problem}>
              <Icon name="warning" />
            </span>
          )}
        </button>
        {outputs.map((output, at) => {
          const top = `${((at + 0.5) / outputs.length) * 100}%`;
          return (
            <Handle
              key={toHandle(output.case)}
              id={toHandle(output.case)}
              type="source"
              position={Position.Right}
              className={styles.handle}
              style={{ top }}
              isConnectable={!isReadOnly}
            >
              {!output.isTaken && (
                <span className={styles.open}>
                  {output.case !== undefined && <span className={styles.case}>{output.case}</span>}
                  {!isReadOnly && (
                    <button
                      type="button"
                      tabIndex={-1}
                      className={`${styles.add} nodrag nopan`}
                      aria-label={`Add after ${title}${output.case === undefined ? "" : `, ${output.case}`}`}
                      onPointerDown={(event) => event.stopPropagation()}
                      onMouseDown={(event) => event.stopPropagation()}
                      onClick={(event) => {
                        event.stopPropagation();
                        onAddAfter({ from: item.id, case: output.case });
                      }}
                    >
                      <Icon name="plus" />
                    </button>
                  )}
                </span>
              )}
            </Handle>
          );
        })}
      </>
    );
  },
  (one, other) => one.selected === other.selected && isSame(one.data, other.data),
);

/** What screen readers say after the name and the line. */
function toMore({ item, isTrigger, state, problem, change }: ItemData): string {
  const type = findItemType(item, isTrigger).name;
  return [
    isTrigger ? `Trigger: ${type}` : type,
    change == null ? "" : changeNames[change],
    state === null ? "" : stateNames[state],
    problem === null ? "" : `Has ${problem === "error" ? "an error" : "a warning"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function isSame(one: ItemData, other: ItemData): boolean {
  return (
    one.item === other.item &&
    one.state === other.state &&
    one.note === other.note &&
    one.problem === other.problem &&
    one.change === other.change &&
    one.isTabStop === other.isTabStop &&
    one.isReadOnly === other.isReadOnly &&
    one.outputs.length === other.outputs.length &&
    one.outputs.every(
      (output, at) =>
        output.case === other.outputs[at]?.case && output.isTaken === other.outputs[at]?.isTaken,
    )
  );
}
