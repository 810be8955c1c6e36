import type { ListedOperation } from "@hub/contract/row.ts";
import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMe } from "../../../api/use-me.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { ShownRow } from "../shown-row.ts";

type Props = { row: ShownRow; operation: ListedOperation };

/** What to know before a test: what is missing, disabled, not reviewed or destructive. */
export function TestNotices({ row, operation }: Props) {
  const { isAdmin } = useMe();
  return (
    <>
      <SetupNotice row={row} operation={operation} />
      {operation.review && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          {reviewTexts[operation.review]}
        </Alert>
      )}
      {!operation.enabled && (
        <Alert color="blue" mb="md">
          {isAdmin
            ? "This operation is disabled: clients cannot call it. A test calls it anyway."
            : "This operation is disabled: it cannot be called or tested. Ask an admin to enable it."}
        </Alert>
      )}
      {operation.destructive && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          This operation is destructive. A test changes the outside system like any other call.
        </Alert>
      )}
    </>
  );
}

const waitingText =
  "This operation waits for a review, and clients cannot call it. Review it on the tab Operations before you test it.";

const reviewTexts = {
  new: waitingText,
  changed: waitingText,
  invalid:
    "The outside system describes this operation in a way that the hub cannot use now, and clients cannot call it. The tab Operations shows the reason.",
  gone: "The outside system does not offer this operation any more. A test may fail.",
} as const;

/** Leads to what a call needs. Operations for tests only, such as widgets, work before it is set. */
function SetupNotice({ row, operation }: Props) {
  const { isAdmin } = useMe();
  if (row.missing === null || row.missing.length === 0 || operation.test_only) return null;
  if (!isAdmin) {
    return (
      <Alert color="yellow" mb="md" title="Needs setup" icon={<Icon name="warning" />}>
        This row cannot be called until an admin sets what is missing.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" mb="md" title="Needs setup" icon={<Icon name="warning" />}>
      {"This row cannot be called until what is missing is set. Go to its "}
      <Link
        to="/manager/connectors/$key/$row"
        params={{ key: row.connector, row: row.id }}
        search={{ tab: "settings" }}
      >
        settings
      </Link>
      .
    </Alert>
  );
}
