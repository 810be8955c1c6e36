import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { Icon } from "../../../ui/controls/icon.tsx";
import { useCompactLines } from "../../../ui/tables/use-compact-lines.ts";

type Props = {
  columns: ReadonlyArray<{ key: string; header: string }>;
  hidden: readonly string[];
  onHidden: (keys: string[]) => void;
};

/** Chooses the columns of the table. */
export function ColumnChoice({ columns, hidden, onHidden }: Props) {
  const [isCompact, setCompact] = useCompactLines();
  return (
    <Popover position="bottom-end" width={220} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="settings" />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {columns.map(({ key, header }) => (
            <Checkbox
              key={key}
              size="xs"
              label={header}
              checked={!hidden.includes(key)}
              onChange={({ currentTarget: { checked } }) =>
                onHidden(checked ? hidden.filter((one) => one !== key) : [...hidden, key])
              }
            />
          ))}
          <Checkbox
            size="xs"
            label="Compact lines"
            checked={isCompact}
            onChange={({ currentTarget: { checked } }) => setCompact(checked)}
          />
          <small>Columns that do not fit into the window are left out.</small>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
