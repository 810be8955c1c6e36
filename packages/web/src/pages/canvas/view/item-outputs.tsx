import { Handle, Position } from "@xyflow/react";
import { useContext } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { type ItemData, toHandle } from "../graph/flow.ts";
import { CanvasContext } from "./canvas-context.ts";
import styles from "./ends.module.css";

type Props = Pick<ItemData, "outputs" | "isReadOnly"> & { id: string; title: string };

/** The ends of an item, with the names of its cases. One that leads nowhere has a button that adds the next item. */
export function ItemOutputs({ id, title, outputs, isReadOnly }: Props) {
  const { onAddAfter } = useContext(CanvasContext);
  return outputs.map(({ case: name, isTaken }, at) => (
    <Handle
      key={toHandle(name)}
      id={toHandle(name)}
      type="source"
      position={Position.Right}
      className={styles.handle}
      style={{ top: `${((at + 0.5) / outputs.length) * 100}%` }}
      isConnectable={!isReadOnly}
    >
      {name !== undefined && (
        <span className={styles.output} title={name}>
          {name}
        </span>
      )}
      {!isTaken && !isReadOnly && (
        <span className={styles.open} data-case={name !== undefined || undefined}>
          <button
            type="button"
            tabIndex={-1}
            className={`${styles.add} nodrag nopan`}
            aria-label={`Add after ${title}${name === undefined ? "" : `, ${name}`}`}
            onPointerDown={(event) => event.stopPropagation()}
            onMouseDown={(event) => event.stopPropagation()}
            onClick={(event) => {
              event.stopPropagation();
              const anchor = event.currentTarget.getBoundingClientRect();
              onAddAfter({ from: id, case: name }, { anchor });
            }}
          >
            <Icon name="plus" />
          </button>
        </span>
      )}
    </Handle>
  ));
}

const charPx = 6;
const outsidePx = 30;

/** How much of the right of an item the names of its cases cover, in pixels. */
export function toCasesPx(outputs: ItemData["outputs"]): number {
  const chars = Math.max(0, ...outputs.map((output) => output.case?.length ?? 0));
  return chars === 0 ? 0 : Math.min(72, Math.max(0, chars * charPx + 10 - outsidePx));
}
