import { Button, Input } from "@mantine/core";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../ui/controls/icon.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { createAutosave } from "./autosave.ts";
import styles from "./form.module.css";
import type { WidgetProps } from "./form-host.ts";
import { toHelp } from "./input-props.tsx";
import { isEmptyRow, parseTable, type TableRow, writeTable } from "./table-value.ts";

type Line = { id: number; row: TableRow };
let nextId = 0;
const toLines = (rows: readonly TableRow[]): Line[] =>
  rows.map((row) => {
    nextId += 1;
    return { id: nextId, row };
  });

/**
 * An editable table. It saves itself a while after the last change, wherever the focus goes, and at once
 * when the page is left. Tab in the last cell adds a row; in an empty last row it leaves the table.
 */
export function KvlistField(props: WidgetProps) {
  const { field, id, label, error } = props;
  const table = useLines(props);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id: `${id}-label` }}
      description={toHelp(field.description, field.locked)}
      error={error}
      withAsterisk={field.required}
    >
      <div
        className={styles.kvlist}
        role="group"
        aria-labelledby={`${id}-label`}
        id={id}
        tabIndex={-1}
      >
        {table.lines.length > 0 && <LineTable field={field} label={label} table={table} />}
        {!field.locked && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="plus" />}
            onClick={table.add}
          >
            Add row
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

/** The rows as they are edited, and what is saved of them. */
function useLines({ field, text, host, onChange }: WidgetProps) {
  const { columns } = field;
  const [lines, setLines] = useState(() => toLines(parseTable(text, columns)));
  const shown = useRef(text);
  const autosave = useAutosave({ field, host });
  // What came from elsewhere replaces the rows; what was typed here is already in them. At the commit,
  // because a key that is pressed before a later effect would look like a change from elsewhere.
  useLayoutEffect(() => {
    if (text === shown.current) return;
    shown.current = text;
    setLines(toLines(parseTable(text, columns)));
  }, [text, columns]);
  const { body, setFocusRow } = useRowFocus();
  const set = (next: Line[]) => {
    setLines(next);
    const value = writeTable(
      next.map(({ row }) => row),
      columns,
    );
    if (value === shown.current) return;
    shown.current = value;
    onChange(value);
    if (host.save !== undefined) autosave.change(value);
  };
  const add = () => {
    setLines([...lines, ...toLines([{}])]);
    setFocusRow(lines.length);
  };
  return { lines, set, add, body };
}

function useAutosave(given: Pick<WidgetProps, "field" | "host">) {
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  const [autosave] = useState(() =>
    createAutosave((value) => latest.current.host.save?.(latest.current.field, value)),
  );
  useEffect(() => {
    window.addEventListener("pagehide", autosave.flush);
    return () => {
      window.removeEventListener("pagehide", autosave.flush);
      autosave.flush();
    };
  }, [autosave]);
  return autosave;
}

/** Moves the focus to a row when it is drawn. */
function useRowFocus() {
  const body = useRef<HTMLTableSectionElement>(null);
  const [focusRow, setFocusRow] = useState<number | null>(null);
  useEffect(() => {
    if (focusRow === null) return;
    const row = body.current?.rows[focusRow];
    row?.querySelector("input")?.focus();
    setFocusRow(null);
  }, [focusRow]);
  return { body, setFocusRow };
}

/** A list or an object, whole or while it is typed. */
function looksLikeJson(text = ""): boolean {
  return /^\s*[[{]/.test(text);
}

type TableProps = Pick<WidgetProps, "field" | "label"> & { table: ReturnType<typeof useLines> };

function LineTable({ field, label, table: { lines, set, add, body } }: TableProps) {
  const { columns, locked } = field;
  const addByTab = (event: KeyboardEvent, at: number) => {
    if (event.key !== "Tab" || event.shiftKey || at !== lines.length - 1) return;
    const last = lines[at];
    if (last === undefined || isEmptyRow(last.row, columns)) return;
    event.preventDefault();
    add();
  };
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {!locked && <td />}
        </tr>
      </thead>
      <tbody ref={body}>
        {lines.map(({ id: lineId, row }, at) => (
          <tr key={lineId}>
            {columns.map((column, columnAt) => (
              <td key={column}>
                <Input
                  aria-label={`${label}, ${column}, row ${at + 1}`}
                  value={row[column] ?? ""}
                  readOnly={locked}
                  autoComplete="off"
                  {...(looksLikeJson(row[column]) && {
                    classNames: { input: styles.code ?? "" },
                    spellCheck: false,
                  })}
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    const changed = { id: lineId, row: { ...row, [column]: value } };
                    set(lines.with(at, changed));
                  }}
                  {...(columnAt === columns.length - 1 && {
                    onKeyDown: (event: KeyboardEvent) => addByTab(event, at),
                  })}
                />
              </td>
            ))}
            {!locked && (
              <td className={styles.remove}>
                <IconButton
                  icon="trash"
                  label={`Remove row ${at + 1} of ${label}`}
                  onClick={() => set(lines.toSpliced(at, 1))}
                />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
