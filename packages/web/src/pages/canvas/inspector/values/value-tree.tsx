import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { ConnectorLogo } from "../../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { formatNumber } from "../../../../ui/text/format.ts";
import { toSample } from "../../expressions/find-completions.ts";
import { UnknownValue } from "../../expressions/schema-shape.ts";
import { type ValuePath, writeExpression } from "../../expressions/write-expression.ts";
import { valueMime } from "./insert-targets.ts";
import { findKeyStep } from "./tree-keys.ts";
import {
  listValueRows,
  membersPerStep,
  type OpenValues,
  toTypeName,
  type ValueRoot,
  type ValueRow,
} from "./value-rows.ts";
import styles from "./values.module.css";

type Props = {
  roots: readonly ValueRoot[];
  /** Names the tree. */
  labelledBy: string;
  /** What is open at first. */
  startsOpen: readonly string[];
  /** What Enter and a click on a value do, such as "Insert". */
  verb: string;
  onChoose: (path: ValuePath) => void;
  onOpen?: (id: string) => void;
  canDrag?: boolean;
};

/** Values by name, to open and to choose from. Only what is visible is drawn. */
export function ValueTree(props: Props) {
  const { roots, labelledBy, startsOpen, verb, onChoose, onOpen, canDrag = false } = props;
  const id = useId();
  const tree = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<OpenValues>(
    () => new Map(startsOpen.map((one) => [one, membersPerStep])),
  );
  const rows = useMemo(() => listValueRows(roots, open), [roots, open]);
  const [activeId, setActiveId] = useState<string | null>(null);
  const found = rows.findIndex((row) => row.id === activeId);
  const active = Math.max(0, found);
  useEffect(() => {
    if (activeId === null) return;
    tree.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  const toggle = (row: ValueRow) => {
    const next = new Map(open);
    if (row.isOpen === true) next.delete(row.id);
    else next.set(row.id, membersPerStep);
    setOpen(next);
    if (row.isOpen === false) onOpen?.(row.id);
  };
  const choose = (row: ValueRow) => {
    if (row.more > 0) {
      const parent = row.id.slice(0, -" more".length);
      setOpen(new Map(open).set(parent, (open.get(parent) ?? 0) + membersPerStep));
      setActiveId(row.id);
    } else if (canChoose(row)) onChoose(row.path);
    else if (row.isOpen !== null) toggle(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    const step = findKeyStep(event, rows, active);
    if (row === undefined || step === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (step.kind === "choose") choose(row);
    else if (step.kind === "toggle") toggle(row);
    else setActiveId(rows[step.to]?.id ?? null);
  };
  return (
    <div
      ref={tree}
      role="tree"
      aria-labelledby={labelledBy}
      tabIndex={0}
      // What else could take the focus of the list over the fields goes away once there is a run.
      data-autofocus
      className={styles.tree}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKeyDown}
    >
      {rows.map((row, at) => (
        <Line
          key={row.id}
          domId={`${id}-${at}`}
          row={row}
          isActive={at === active}
          verb={verb}
          canDrag={canDrag && canChoose(row)}
          onToggle={() => {
            setActiveId(row.id);
            toggle(row);
          }}
          onChoose={() => {
            setActiveId(row.id);
            choose(row);
          }}
        />
      ))}
    </div>
  );
}

const canChoose = ({ root, more }: ValueRow) => more === 0 && root?.isGroup !== true;

type LineProps = {
  domId: string;
  row: ValueRow;
  isActive: boolean;
  verb: string;
  canDrag: boolean;
  onToggle: () => void;
  onChoose: () => void;
};

function Line({ domId, row, isActive, verb, canDrag, onToggle, onChoose }: LineProps) {
  const { level, position, size, isOpen, more, path } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the tree.
    <div
      id={domId}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-selected={isActive}
      {...(isOpen !== null && { "aria-expanded": isOpen })}
      data-active={isActive || undefined}
      data-name={row.name}
      className={styles.line}
      style={{ paddingLeft: `${(level - 1) * 0.9 + 0.25}rem` }}
      draggable={canDrag}
      onDragStart={(event) => {
        event.dataTransfer.setData(valueMime, JSON.stringify(path));
        event.dataTransfer.setData("text/plain", `{{${writeExpression(path).text}}}`);
        event.dataTransfer.effectAllowed = "copy";
      }}
      onClick={isOpen === null ? onChoose : onToggle}
    >
      <span className={styles.arrow} aria-hidden="true">
        {isOpen !== null && <Icon name={isOpen ? "down" : "right"} />}
      </span>
      {more > 0 ? (
        <span className={styles.more}>{`${formatNumber(more)} more`}</span>
      ) : (
        <RowContent row={row} />
      )}
      {isOpen !== null && canChoose(row) && (
        // Enter does the same on the keyboard.
        <button
          type="button"
          tabIndex={-1}
          aria-hidden="true"
          className={styles.whole}
          title={`${verb} ${row.name} as a whole`}
          onClick={(event) => {
            event.stopPropagation();
            onChoose();
          }}
        >
          {verb}
        </button>
      )}
    </div>
  );
}

const nameCharsMax = 80;

function RowContent({ row: { name, value, root } }: { row: ValueRow }): ReactNode {
  const shown = name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name;
  const isSealed = typeof value === "string" && value.startsWith("hub_enc_");
  const sample = value instanceof UnknownValue ? "" : escapeInvisible(toSample(value));
  if (root !== null) {
    return (
      <>
        {root.row == null ? (
          <Icon name={root.icon} />
        ) : (
          <ConnectorLogo
            connectorKey={root.row.connector}
            name={root.row.label}
            logo={root.row.logo}
            size="small"
          />
        )}
        <span className={styles.root}>{shown}</span>
        <span className={styles.detail}>{root.note ?? root.detail}</span>
        {typeof value !== "object" && value !== undefined && (
          <span className={styles.sample}>{sample}</span>
        )}
      </>
    );
  }
  return (
    <>
      <span className={styles.name}>{escapeInvisible(shown)}</span>
      <span className={isSealed ? styles.sealed : styles.sample}>{sample}</span>
      <span className={styles.type}>{toTypeName(value)}</span>
    </>
  );
}
