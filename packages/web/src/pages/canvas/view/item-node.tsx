import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { describeItem, toTitle } from "../graph/describe-item.ts";
import type { ItemData, ItemFlowNode } from "../graph/flow.ts";
import { findItemType } from "../graph/item-types.ts";
import { ChangeBadge, changeNames } from "./change-badge.tsx";
import ends from "./ends.module.css";
import { ItemIcon } from "./item-icon.tsx";
import styles from "./item-node.module.css";
import { ItemOutputs, toCasesPx } from "./item-outputs.tsx";
import { stateIcons, stateNames } from "./item-states.ts";
import unseen from "./unseen.module.css";

/** Texts that fit in any case are not cut off, which costs time while the graph moves. */
const textPx = 120;
const charPx = 8;

/** A trigger or node: logo or icon, name, one line of what it does, and an end for each output. */
export const ItemNode = memo(
  ({ data, selected }: NodeProps<ItemFlowNode>) => {
    const { item, isTrigger, row, outputs, state, note, problem, isReadOnly, isTabStop } = data;
    const { change = null } = data;
    const title = toTitle(item, isTrigger);
    const line = describeItem(item, isTrigger, row);
    const casesPx = toCasesPx(outputs);
    return (
      <>
        {!isTrigger && (
          <Handle
            type="target"
            position={Position.Left}
            className={ends.handle}
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
          data-disabled={item.disabled === true || undefined}
          tabIndex={isTabStop ? 0 : -1}
          aria-current={selected || undefined}
          // Also the name for screen readers from afar, where the texts are not drawn.
          title={`${title}\n${line}`}
        >
          <ItemIcon item={item} isTrigger={isTrigger} row={row} />
          <span className={styles.texts} {...(casesPx > 0 && { style: { paddingRight: casesPx } })}>
            <span
              className={styles.name}
              data-long={title.length * charPx + casesPx > textPx || undefined}
            >
              {title}
            </span>
            <span
              className={styles.line}
              data-long={line.length * charPx + casesPx > textPx || undefined}
            >
              {line}
            </span>
            <span className={unseen.unseen}>{toMore(data)}</span>
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
        <ItemOutputs id={item.id} title={title} outputs={outputs} isReadOnly={isReadOnly} />
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
    item.disabled === true ? "Switched off" : "",
    change == null ? "" : changeNames[change],
    state === null || (state === "skipped" && item.disabled === true) ? "" : stateNames[state],
    problem === null ? "" : `Has ${problem === "error" ? "an error" : "a warning"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function isSame(one: ItemData, other: ItemData): boolean {
  return (
    one.item === other.item &&
    one.row === other.row &&
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
