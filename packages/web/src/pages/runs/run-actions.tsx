import type { HistoryRun } from "@hub/contract/run-history.ts";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { copyText } from "../../ui/controls/copy-button.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { toCurl } from "./call-to-curl.ts";

/** What can be done with a call. `onRetried` gets the new call. */
export function RunActions({
  run,
  onRetried,
}: {
  run: HistoryRun;
  onRetried: (id: string) => void;
}) {
  const { user, isAdmin } = useMe();
  const toast = useToast();
  const refreshes = [
    "GET /manager/api/runs/{run}",
    "GET /manager/api/runs",
    "GET /profile/api/runs",
  ] as const;
  const retry = useChange("POST /manager/api/runs/{run}/retry", {
    refreshes,
    onDone({ run_id }) {
      setAsking(false);
      onRetried(run_id);
    },
  });
  const cancel = useChange("POST /manager/api/runs/{run}/cancel", {
    refreshes,
    onDone: () => toast({ text: "The call is being stopped." }),
  });
  const [isAsking, setAsking] = useState(false);
  const isOwn = run.user_id === user.id;
  const params = { params: { run: run.id } };
  const failure = retry.error ?? cancel.error;
  return (
    <>
      {failure !== null && <span role="alert">{failure.message}</span>}
      {run.payload_shown && <CopyAsCurl run={run} />}
      {run.status === "running" && (isOwn || isAdmin) && (
        <Button
          variant="default"
          leftSection={<Icon name="stop" />}
          loading={cancel.isPending}
          onClick={() => cancel.run(params)}
        >
          Cancel
        </Button>
      )}
      {run.status !== "running" && isOwn && run.connector_id !== null && !run.request_cut && (
        <Button leftSection={<Icon name="refresh" />} onClick={() => setAsking(true)}>
          Retry
        </Button>
      )}
      <EditAndRun run={run} />
      <ConfirmDialog
        isOpen={isAsking}
        title={`Call ${run.operation_key} again?`}
        action="Call again"
        isBusy={retry.isPending}
        onConfirm={() => retry.run(params)}
        onClose={() => setAsking(false)}
      >
        The hub sends the same request again, with every check. What the operation changes, it may
        change a second time.
      </ConfirmDialog>
    </>
  );
}

/** Copies the call as a command line, without a token. */
function CopyAsCurl({ run }: { run: HistoryRun }) {
  const { mcpUrl } = useMe();
  const toast = useToast();
  const copy = async () => {
    await copyText(toCurl(run, mcpUrl));
    toast({ text: "Copied. Put your token in the place of YOUR_TOKEN." });
  };
  return (
    <Button variant="default" leftSection={<Icon name="copy" />} onClick={() => void copy()}>
      Copy as curl
    </Button>
  );
}

/** The row of the call, which may be deleted or no longer visible. */
function useRow({ connector_id: row }: HistoryRun) {
  const input = { params: { row: row ?? "" }, query: { operations: "none" as const } };
  return useApi("GET /manager/api/rows/{row}", input, { isOn: row !== null }).data;
}

/** The row of a call, as a link if the caller sees it. */
export function RowLink({ run }: { run: HistoryRun }) {
  const row = useRow(run);
  if (row === undefined) return run.row_label;
  return (
    <Link to="/manager/connectors/$key/$row" params={{ key: row.connector, row: row.id }}>
      {row.label}
    </Link>
  );
}

/** Opens the test panel with the request of this call. Only admins test. */
function EditAndRun({ run }: { run: HistoryRun }) {
  const { isAdmin } = useMe();
  const row = useRow(run);
  const found = useApi(
    "GET /manager/api/rows/{row}/operations",
    { params: { row: row?.id ?? "" }, query: { key: run.operation_key, limit: 1 } },
    { isOn: isAdmin && row !== undefined },
  );
  const isKnown = row !== undefined && found.data?.total === 1;
  if (!isAdmin || !isKnown || run.request_cut) return null;
  return (
    <Button
      variant="default"
      leftSection={<Icon name="play" />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/manager/connectors/$key/$row"
          params={{ key: row.connector, row: row.id }}
          search={{ op: run.operation_key, prefill: run.id }}
        />
      )}
    >
      Edit and call
    </Button>
  );
}
