import { Button } from "@mantine/core";
import type { Answer } from "../../../api/call-api.ts";
import { TagList } from "../../../ui/badges/tag-list.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { formatNumber } from "../../../ui/text/format.ts";

export type Groups = Answer<"GET /admin/api/groups">;
export type GroupLine = Groups["lines"][number];

const roleNames = { user: "–", admin: "Admin", none: "No access" } as const;
const sourceNames = { any: "Any", sso: "Single sign-on", scim: "SCIM" } as const;

export const lineColumns: ReadonlyArray<Column<GroupLine>> = [
  {
    key: "group",
    header: "Group",
    width: "minmax(8rem, 2fr)",
    render: ({ pattern }) => <span title={pattern}>{pattern}</span>,
  },
  {
    key: "from",
    header: "From",
    width: "8rem",
    isLargeOnly: true,
    render: ({ source }) => sourceNames[source],
  },
  {
    key: "tags",
    header: "Tags",
    width: "minmax(6rem, 2fr)",
    render: ({ tags, tag_start: start }) => (
      <TagList tags={[...tags, ...(start === null ? [] : [`${start}*`])]} none="–" />
    ),
  },
  {
    key: "role",
    header: "Role",
    width: "6rem",
    isWideOnly: true,
    render: ({ role }) => roleNames[role],
  },
  {
    key: "users",
    header: "Users",
    width: "4.5rem",
    align: "end",
    isWideOnly: true,
    render: ({ users }) => formatNumber(users),
  },
];

type Props = { groups: Groups; onEdit: (at: number) => void };

/** The lines in their order. */
export function GroupTable({ groups: { lines }, onEdit }: Props) {
  const columns: ReadonlyArray<Column<GroupLine>> = [
    ...lineColumns,
    {
      key: "edit",
      header: "Action",
      width: "5rem",
      align: "end",
      render: (line) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Edit ${line.pattern}`}
          onClick={() => onEdit(lines.indexOf(line))}
        >
          Edit
        </Button>
      ),
    },
  ];
  return <DataTable label="Groups" rows={lines} columns={columns} toKey={({ id }) => id} />;
}
