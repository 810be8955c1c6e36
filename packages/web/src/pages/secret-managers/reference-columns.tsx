import type { SecretReference } from "@hub/contract/secret-source.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import type { Column } from "../../ui/tables/data-table.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { ReadState } from "./read-state.tsx";
import { ReferenceActions } from "./reference-actions.tsx";

/** The columns of the table of references. */
export function toReferenceColumns(
  onOpen: (open: OpenDialog) => void,
): ReadonlyArray<Column<SecretReference>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(7rem, 1fr)",
      render: ({ name, path }) => <bdi title={path}>{name}</bdi>,
    },
    {
      key: "places",
      header: "May go to",
      width: "minmax(8rem, 1fr)",
      isWideOnly: true,
      render: showDestinations,
    },
    {
      key: "uses",
      header: "Used by",
      width: "minmax(7rem, 1fr)",
      isWideOnly: true,
      render: ({ used_by: uses }) => (
        <bdi>{uses.map(({ name }) => name).join(", ") || "Nothing"}</bdi>
      ),
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
      width: "18rem",
      render: (reference) => <ReferenceActions reference={reference} onOpen={onOpen} />,
    },
  ];
}

function showDestinations({ rows, hosts }: SecretReference) {
  const changed = rows.filter(({ is_current: isCurrent }) => !isCurrent).length;
  const names = [...rows.map(({ id, label }) => label ?? id.slice(0, 8)), ...hosts];
  return (
    <>
      <bdi>{names.join(", ") || "Nothing"}</bdi>
      {changed > 0 && <StateBadge tone="warn" text="Address changed" />}
    </>
  );
}
