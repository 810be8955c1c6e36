import type { ListedOperation } from "@hub/contract/row.ts";
import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import type { RowTab } from "../rows/row-search.ts";
import type { ShownRow } from "../rows/shown-row.ts";

type Props = { row: ShownRow; operation: ListedOperation };

/** Says why clients cannot call an operation now, and where an admin changes it. */
export function NotCallable({ row, operation }: Props) {
  const { isAdmin } = useMe();
  const reason = findReason(row, operation);
  if (reason === null) return null;
  return (
    <Alert color="yellow" mb="md" title="Clients cannot call it now" icon={<Icon name="warning" />}>
      {`${reason.text} A call from here is refused in the same way. `}
      {isAdmin ? (
        <Link
          to="/manager/connectors/$key/$row"
          params={{ key: row.connector, row: row.id }}
          search={{ tab: reason.tab }}
        >
          Go to the row
        </Link>
      ) : (
        "Ask an admin about it."
      )}
    </Alert>
  );
}

/** The first reason, and the tab of the row's page where it is changed. */
function findReason(
  row: ShownRow,
  operation: ListedOperation,
): { text: string; tab: RowTab } | null {
  if (row.disabled_type) return { text: "Its connector is disabled.", tab: "operations" };
  if (row.disabled) return { text: "Its row is disabled.", tab: "operations" };
  if (row.missing === null) {
    return { text: "The connector of its row is not installed.", tab: "operations" };
  }
  if (operation.test_only) {
    return { text: "It is for widgets and tests of admins only.", tab: "test" };
  }
  if (operation.review === "gone") {
    return { text: "Its outside system does not offer it any more.", tab: "operations" };
  }
  if (operation.review === "invalid") {
    const text = "Its outside system describes it in a way that the hub cannot use.";
    return { text, tab: "operations" };
  }
  if (operation.review) return { text: "It waits for a review.", tab: "operations" };
  if (!operation.enabled) return { text: "It is disabled.", tab: "operations" };
  if (row.missing.length > 0) {
    return { text: "Its row needs setup: required fields are not set.", tab: "settings" };
  }
  return null;
}
