import { Button } from "@mantine/core";
import { Card } from "../../../ui/page/card.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import type { Groups } from "./group-table.tsx";

type Known = Groups["known"][number];
type Props = { groups: Groups; onAdd: (pattern: string) => void };

/** Groups that users have and that no line names: they give nothing. */
export function KnownGroups({ groups: { known }, onAdd }: Props) {
  const others = known.filter(({ is_named: isNamed }) => !isNamed);
  if (others.length === 0) return null;
  const columns: ReadonlyArray<Column<Known>> = [
    {
      key: "name",
      header: "Group",
      width: "minmax(8rem, 3fr)",
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: "from",
      header: "From",
      width: "8rem",
      isWideOnly: true,
      render: ({ source }) => (source === "sso" ? "Single sign-on" : "SCIM"),
    },
    {
      key: "users",
      header: "Users",
      width: "4.5rem",
      align: "end",
      isWideOnly: true,
      render: ({ users }) => formatNumber(users),
    },
    {
      key: "use",
      header: "Action",
      width: "5rem",
      align: "end",
      render: ({ name }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Use ${name}`}
          onClick={() => onAdd(name)}
        >
          Use
        </Button>
      ),
    },
  ];
  return (
    <Card title="Groups of users that give nothing">
      <DataTable
        label="Groups that give nothing"
        rows={others}
        columns={columns}
        toKey={({ name, source }) => `${source} ${name}`}
      />
    </Card>
  );
}
