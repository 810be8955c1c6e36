import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Icon } from "../controls/icon.tsx";
import type { Column } from "./column.ts";

/**
 * The columns that this browser shows of a table, and the button that chooses them. Columns without `choice`
 * are always shown. `table` names the choice in the browser's storage.
 */
export function useColumnChoice<T>(
  table: string,
  columns: ReadonlyArray<Column<T>>,
): { columns: ReadonlyArray<Column<T>>; chooser: ReactNode } {
  const storedAt = `columns of ${table}`;
  const [changed, setChanged] = useState(() => readChoice(storedAt));
  const isShown = ({ key, choice }: Column<T>) => changed[key] ?? choice !== "off";
  const choose = (key: string, isOn: boolean) => {
    const next = { ...changed, [key]: isOn };
    setChanged(next);
    localStorage.setItem(storedAt, JSON.stringify(next));
  };
  const offered = columns.filter(({ choice }) => choice !== undefined);
  const chooser = (
    <Popover position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="settings" />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" role="group" aria-label="Columns">
          {offered.map((column) => (
            <Checkbox
              key={column.key}
              size="xs"
              label={column.header}
              checked={isShown(column)}
              onChange={({ currentTarget }) => choose(column.key, currentTarget.checked)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
  return {
    columns: columns.filter((column) => column.choice === undefined || isShown(column)),
    chooser,
  };
}

function readChoice(storedAt: string): Record<string, boolean> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storedAt) ?? "{}");
    const known = Object.entries(Object(stored)).filter(([, isOn]) => typeof isOn === "boolean");
    return Object.fromEntries(known) as Record<string, boolean>;
  } catch {
    return {};
  }
}
