import { operatorWords, unaryOperators } from "@hub/contract/workflow-operators.ts";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { IconButton } from "../../../../ui/controls/icon-button.tsx";
import { ExpressionInput } from "../inputs/expression-input.tsx";
import { useText } from "../inputs/use-text.ts";
import { requiredTextForm } from "../inputs/value-text.ts";
import styles from "../inspector.module.css";
import { ValuesButton } from "../values/values-button.tsx";

type Row = Readonly<Record<string, unknown>>;
type ListProps = {
  value: unknown;
  onValue: (value: unknown) => void;
  /** What is wrong, by the number of the row. */
  issues: ReadonlyMap<number, string>;
};

const toRows = (value: unknown): Row[] =>
  Array.isArray(value) ? value.map((one) => Object(one)) : [];
const replace = (rows: readonly Row[], at: number, row: Row) =>
  rows.map((one, index) => (index === at ? row : one));
const drop = (rows: readonly Row[], at: number) => rows.filter((_, index) => index !== at);

/** The conditions of a branch. */
export function ConditionsField(props: ListProps) {
  return (
    <ComparisonList
      {...props}
      field="conditions"
      noun="condition"
      toNew={() => ({ left: "", op: "eq", right: "" })}
      renderFirst={(row, label, onRow) => (
        <SideInput
          label={`${label}: value`}
          shown="Value"
          value={row.left}
          onValue={(left) => onRow({ ...row, left })}
        />
      )}
    />
  );
}

type CasesProps = ListProps & {
  onRename: (change: { from: string; to: string; cases: unknown }) => void;
};

/** The cases of a switch. A renamed case keeps its connections. */
export function CasesField({ onRename, ...props }: CasesProps) {
  const rows = toRows(props.value);
  return (
    <ComparisonList
      {...props}
      field="cases"
      noun="case"
      toNew={() => ({ case: toFreeCase(rows), op: "eq", right: "" })}
      renderFirst={(row, label, _onRow, at) => {
        const from = String(row.case ?? "");
        return (
          <TextInput
            label="Name"
            aria-label={`${label}: name`}
            value={from}
            onChange={({ currentTarget: { value: to } }) =>
              onRename({ from, to, cases: replace(rows, at, { ...row, case: to }) })
            }
          />
        );
      }}
    />
  );
}

type ComparisonListProps = ListProps & {
  field: string;
  noun: "condition" | "case";
  toNew: () => Row;
  /** What stands before the comparison. */
  renderFirst: (row: Row, label: string, onRow: (row: Row) => void, at: number) => ReactNode;
};

/** Rows with a comparison each, which can be added and removed down to one. */
function ComparisonList(props: ComparisonListProps) {
  const { value, onValue, issues, field, noun, toNew, renderFirst } = props;
  const rows = toRows(value);
  const title = noun === "case" ? "Case" : "Condition";
  return (
    <fieldset className={styles.list} data-field={field}>
      <legend>{title}s</legend>
      {rows.map((row, at) => {
        const label = `${title} ${at + 1}`;
        const onRow = (next: Row) => onValue(replace(rows, at, next));
        return (
          <div key={`${rows.length} ${String(at)}`} className={styles.row}>
            {renderFirst(row, label, onRow, at)}
            <Operator label={`${label}: comparison`} row={row} onRow={onRow} />
            {!unaryOperators.has(String(row.op)) && (
              <SideInput
                label={`${label}: compared with`}
                shown="Compared with"
                value={row.right}
                onValue={(right) => onRow({ ...row, right })}
              />
            )}
            <Issue text={issues.get(at)} />
            {rows.length > 1 && (
              <IconButton
                icon="trash"
                label={`Remove ${noun} ${at + 1}`}
                onClick={() => onValue(drop(rows, at))}
              />
            )}
          </div>
        );
      })}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="plus" />}
        onClick={() => onValue([...rows, toNew()])}
      >
        Add a {noun}
      </Button>
    </fieldset>
  );
}

function toFreeCase(rows: readonly Row[]): string {
  const names = new Set(rows.map((row) => row.case));
  let number = rows.length + 1;
  while (names.has(`case_${number}`)) number += 1;
  return `case_${number}`;
}

type SideProps = {
  /** With the number of the row, for screen readers. */
  label: string;
  shown: string;
  value: unknown;
  onValue: (value: unknown) => void;
};

/** An expression with its label. */
export function SideInput({ label, shown, value, onValue }: SideProps) {
  const { text, type } = useText(value, requiredTextForm, onValue);
  const id = `field-${label.replace(/\W+/g, "-")}`;
  const field = useRef<HTMLDivElement>(null);
  return (
    <div ref={field} className={styles.side}>
      <div className={styles.tools}>
        <ValuesButton label={label} field={field} />
      </div>
      <label className={styles.label} htmlFor={id}>
        {shown}
      </label>
      <ExpressionInput id={id} label={label} isBare text={text} onText={type} />
    </div>
  );
}

type OperatorProps = { label: string; row: Row; onRow: (row: Row) => void };

function Operator({ label, row, onRow }: OperatorProps) {
  return (
    <NativeSelect
      label="Comparison"
      aria-label={label}
      value={String(row.op ?? "eq")}
      data={Object.entries(operatorWords).map(([one, name]) => ({ value: one, label: name }))}
      onChange={({ currentTarget: { value: op } }) => {
        const { right, ...rest } = row;
        onRow(unaryOperators.has(op) ? { ...rest, op } : { ...rest, op, right: right ?? "" });
      }}
    />
  );
}

/** What is wrong with a row. */
export function Issue({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p className={styles.issue}>{text}</p>;
}
