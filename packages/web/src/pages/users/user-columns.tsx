import type { User } from "@hub/contract/user.ts";
import { Link } from "@tanstack/react-router";
import type { Column } from "../../ui/tables/data-table.tsx";

/** The e-mail of a user, which leads to the user's page. Each table has its own width. */
export const emailColumn: Omit<Column<User>, "width"> = {
  key: "email",
  header: "E-mail",
  render: ({ id, email }) => (
    <Link to="/admin/users/$user" params={{ user: id }} title={email}>
      {email}
    </Link>
  ),
};

export const nameColumn: Omit<Column<User>, "width"> = {
  key: "name",
  header: "Name",
  isWideOnly: true,
  render: ({ name }) => <span title={name}>{name}</span>,
};
