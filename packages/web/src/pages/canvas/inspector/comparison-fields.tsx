import type { ConditionOperator } from "@hub/contract/workflow-condition.ts";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { Icon } from "../../../ui/icon.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ExpressionInput } from "./expression-input.tsx";
import styles from "./inspector.module.css";
import { useText } from "./use-text.ts";
import { requiredTextForm } from "./value-text.ts";

const operators: Readonly<Record<ConditionOperator, string>> = {
  eq: "is equal to",
  ne: "is not equal to",
  lt: "is less than",
  le: "is at most",
  gt: "is more than",
  ge: "is at least",
  contains: "contains",
  starts_with: "starts with",
  ends_with: "ends with",
  matches: "matches the pattern",
  in: "is one of",
  is_empty: "is empty",
  is_not_empty: "is not empty",
  is_true: "is true",
};
const unary: ReadonlySet<string> = new Set(["is_empty", "is_not_empty", "is_true"]);

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
export function ConditionsField({ value, onValue, issues }: ListProps) {
  const rows = toRows(value);
  return (
    <fieldset className={styles.list} data-field="conditions">
      <legend>Conditions</legend>
      {rows.map((row, at) => (
        <div key={`${rows.length} ${String(at)}`} className={styles.row}>
          <SideInput
            label={`Condition ${at + 1}: value`}
            value={row.left}
            onValue={(left) => onValue(replace(rows, at, { ...row, left }))}
          />
          <Operator
            label={`Condition ${at + 1}: comparison`}
            row={row}
            onRow={(next) => onValue(replace(rows, at, next))}
          />
          {!unary.has(String(row.op)) && (
            <SideInput
              label={`Condition ${at + 1}: compared with`}
              value={row.right}
              onValue={(right) => onValue(replace(rows, at, { ...row, right }))}
            />
          )}
          <Issue text={issues.get(at)} />
          {rows.length > 1 && (
            <IconButton
              icon="trash"
              label={`Remove condition ${at + 1}`}
              onClick={() => onValue(drop(rows, at))}
            />
          )}
        </div>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="plus" />}
        onClick={() => onValue([...rows, { left: "", op: "eq", right: "" }])}
      >
        Add a condition
      </Button>
    </fieldset>
  );
}

type CasesProps = ListProps & {
  onRename: (change: { from: string; to: string; cases: unknown }) => void;
};

/** The cases of a switch. A renamed case keeps its connections. */
export function CasesField({ value, onValue, onRename, issues }: CasesProps) {
  const rows = toRows(value);
  return (
    <fieldset className={styles.list} data-field="cases">
      <legend>Cases</legend>
      {rows.map((row, at) => (
        <div key={`${rows.length} ${String(at)}`} className={styles.row}>
          <TextInput
            aria-label={`Case ${at + 1}: name`}
            value={String(row.case ?? "")}
            onChange={({ currentTarget: { value: to } }) =>
              onRename({
                from: String(row.case ?? ""),
                to,
                cases: replace(rows, at, { ...row, case: to }),
              })
            }
          />
          <Operator
            label={`Case ${at + 1}: comparison`}
            row={{ op: "eq", ...row }}
            onRow={(next) => onValue(replace(rows, at, next))}
          />
          {!unary.has(String(row.op)) && (
            <SideInput
              label={`Case ${at + 1}: compared with`}
              value={row.right}
              onValue={(right) => onValue(replace(rows, at, { ...row, right }))}
            />
          )}
          <Issue text={issues.get(at)} />
          {rows.length > 1 && (
            <IconButton
              icon="trash"
              label={`Remove case ${at + 1}`}
              onClick={() => onValue(drop(rows, at))}
            />
          )}
        </div>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="plus" />}
        onClick={() => onValue([...rows, { case: toFreeCase(rows), op: "eq", right: "" }])}
      >
        Add a case
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

type SideProps = { label: string; value: unknown; onValue: (value: unknown) => void };

function SideInput({ label, value, onValue }: SideProps) {
  const { text, type } = useText(value, requiredTextForm, onValue);
  return (
    <ExpressionInput
      id={`field-${label.replace(/\W+/g, "-")}`}
      label={label}
      isBare
      text={text}
      onText={type}
    />
  );
}

type OperatorProps = { label: string; row: Row; onRow: (row: Row) => void };

function Operator({ label, row, onRow }: OperatorProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={String(row.op ?? "eq")}
      data={Object.entries(operators).map(([one, name]) => ({ value: one, label: name }))}
      onChange={({ currentTarget: { value: op } }) => {
        const { right, ...rest } = row;
        onRow(unary.has(op) ? { ...rest, op } : { ...rest, op, right: right ?? "" });
      }}
    />
  );
}

function Issue({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p className={styles.issue}>{text}</p>;
}
