import type { SecretSource } from "@hub/contract/secret-source.ts";
import { sourceKindNames } from "@hub/contract/secret-source-kinds.ts";
import { Button, Group } from "@mantine/core";
import type { Column } from "../../ui/tables/data-table.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { ReadState } from "./read-state.tsx";

/** The columns of the table of secret managers. */
export function toSourceColumns(
  onOpen: (open: OpenDialog) => void,
): ReadonlyArray<Column<SecretSource>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(7rem, 1fr)",
      render: ({ name }) => <bdi>{name}</bdi>,
    },
    {
      key: "kind",
      header: "Manager",
      width: "minmax(8rem, 1fr)",
      isWideOnly: true,
      render: ({ settings }) => sourceKindNames[settings.kind],
    },
    {
      key: "prefixes",
      header: "Reads below",
      width: "minmax(7rem, 1fr)",
      isWideOnly: true,
      render: ({ prefixes }) => <bdi>{prefixes.join(", ")}</bdi>,
    },
    {
      key: "state",
      header: "Last read",
      width: "8rem",
      render: ({ last_read: read }) => <ReadState read={read} />,
    },
    {
      key: "actions",
      header: "Actions",
      width: "10rem",
      render: (source) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onOpen({ kind: "source", source })}
          >
            Change
          </Button>
          {source.references === 0 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onOpen({ kind: "delete source", source })}
            >
              Delete
            </Button>
          )}
        </Group>
      ),
    },
  ];
}
