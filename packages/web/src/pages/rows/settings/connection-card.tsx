import type { BegunConnect, RowAccounts, RowConnection } from "@hub/contract/row-connection.ts";
import { Alert, Button, Group } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { StateBadge } from "../../../ui/badges/state-badge.tsx";
import { CopyButton } from "../../../ui/controls/copy-button.tsx";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { Properties } from "../../../ui/page/properties.tsx";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";

const states = {
  not_connected: { tone: "warn", text: "Not connected" },
  connected: { tone: "good", text: "Connected" },
  lost: { tone: "bad", text: "Connect again" },
} as const;

const clients = {
  given: "The row's client id",
  registered: "The hub has registered itself there",
  document: "The hub, by its metadata document",
} as const;

const refreshes = [
  "GET /manager/api/rows/{row}/connection",
  "GET /manager/api/rows/{row}",
  "GET /manager/api/rows/{row}/settings",
] as const;

/** The OAuth connection of a row, which an admin makes by a sign-in elsewhere. */
const useConnection = (row: ShownRow, isOn: boolean) =>
  useApi("GET /manager/api/rows/{row}/connection", { params: { row: row.id } }, { isOn });

type Props = { row: ShownRow; hasUnsaved: boolean };

export function ConnectionCard({ row, hasUnsaved }: Props) {
  const found = useConnection(row, true);
  const accounts = found.data?.accounts ?? null;
  if (found.data?.connection === null) return accounts && <AccountsCard accounts={accounts} />;
  return (
    <>
      {accounts !== null && <AccountsCard accounts={accounts} />}
      <OwnConnection row={row} hasUnsaved={hasUnsaved} found={found} />
    </>
  );
}

/** Numbers only: whose accounts they are is for their users alone. */
function AccountsCard({ accounts: { users, client_problem: problem } }: { accounts: RowAccounts }) {
  return (
    <Card title="Accounts of users">
      {problem !== null && (
        <Alert color="red" mb="md" title="The authorization server refuses the hub">
          {problem} Correct the client in the settings. The accounts of the users work again then.
        </Alert>
      )}
      <p className={styles.lead}>
        {users === 0
          ? "No user has connected an account yet."
          : users === 1
            ? "1 user has connected an account."
            : `${users} users have connected an account.`}
      </p>
    </Card>
  );
}

function OwnConnection({
  row,
  hasUnsaved,
  found,
}: Props & { found: ReturnType<typeof useConnection> }) {
  return (
    <Card title="OAuth connection">
      <Loaded of={found} what="The connection" skeleton={<PageSkeleton lines={2} />}>
        {({ connection }) =>
          connection && (
            <>
              <Facts connection={connection} />
              <Actions row={row} connection={connection} hasUnsaved={hasUnsaved} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Facts({ connection }: { connection: RowConnection }) {
  const { state, reason, issuer, address, scopes, connected_at, expires_at, renews } = connection;
  const isStored = state !== "not_connected";
  return (
    <>
      {state === "lost" && (
        <Alert color="red" mb="md" title="This row must be connected again">
          {reason} Its operations fail until then.
        </Alert>
      )}
      {!isStored && (
        <p className={styles.lead}>
          You sign in at the server once, and the hub keeps the access. Its operations fail until
          then.
        </p>
      )}
      <Properties
        items={[
          [
            "State",
            <span key="state" role="status">
              <StateBadge {...states[state]} />
            </span>,
          ],
          ["Connected", connected_at !== null && <TimeAgo at={connected_at} />],
          ["Authorization server", issuer !== null && <bdi>{issuer}</bdi>],
          ["For", address !== null && <bdi>{address}</bdi>],
          ["Scopes", scopes.length > 0 && <bdi>{scopes.join(" ")}</bdi>],
          [
            "Access ends",
            state === "connected" && expires_at !== null && <TimeAgo at={expires_at} />,
          ],
          [
            "Renewal",
            state === "connected" &&
              (renews
                ? "The hub renews the access by itself."
                : "The access cannot be renewed: connect again when it has ended."),
          ],
          [
            "Redirect URI",
            !isStored && (
              <span key="uri" className={styles.address}>
                <code>{connection.redirect_uri}</code>
                <CopyButton text={connection.redirect_uri} what="the redirect URI" />
              </span>
            ),
          ],
        ]}
      />
    </>
  );
}

type ActionProps = Props & { connection: RowConnection };

function Actions({ row, connection, hasUnsaved }: ActionProps) {
  const toast = useToast();
  const [begun, setBegun] = useState<BegunConnect | null>(null);
  const [isAsking, setAsking] = useState(false);
  const params = { params: { row: row.id } };
  const connect = useChange("POST /manager/api/rows/{row}/connect", {
    refreshes: [],
    onDone: setBegun,
  });
  const disconnect = useChange("POST /manager/api/rows/{row}/disconnect", {
    refreshes,
    onDone({ label, revoked }) {
      setAsking(false);
      const rest = revoked === true ? "" : " End the hub's access at the authorization server too.";
      toast({ text: `${label} is disconnected.${rest}` });
    },
  });
  const isStored = connection.state !== "not_connected";
  return (
    <>
      <Group mt="md" gap="sm">
        <Button
          variant={hasUnsaved || connection.state === "connected" ? "default" : "filled"}
          loading={connect.isPending}
          disabled={hasUnsaved}
          onClick={() => connect.run(params)}
        >
          {hasUnsaved ? "Save your changes first" : isStored ? "Connect again" : "Connect"}
        </Button>
        {isStored && (
          <Button variant="danger" onClick={() => setAsking(true)}>
            Disconnect
          </Button>
        )}
      </Group>
      {connect.error !== null && (
        <p className={styles.bad} role="alert">
          {connect.error.message}
        </p>
      )}
      {begun !== null && <ContinueDialog begun={begun} onClose={() => setBegun(null)} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Disconnect ${row.label}?`}
        action="Disconnect"
        isDangerous
        isBusy={disconnect.isPending}
        onConfirm={() => disconnect.run(params)}
        onClose={() => setAsking(false)}
      >
        <p>The hub deletes its tokens. The row's operations fail until it is connected again.</p>
        {disconnect.error !== null && <p role="alert">{disconnect.error.message}</p>}
      </ConfirmDialog>
    </>
  );
}

/** An MCP server says itself who authorizes, so the admin sees who it is before leaving. */
function ContinueDialog({ begun, onClose }: { begun: BegunConnect; onClose: () => void }) {
  const { authorize_url: url, issuer, scopes, client, issuer_before: before } = begun;
  return (
    <Dialog onClose={onClose} title="Sign in at the authorization server">
      {before !== null && (
        <Alert color="yellow" mb="md" title="This is another authorization server than before">
          Before, it was <bdi>{before}</bdi>. Continue only if you expect this.
        </Alert>
      )}
      <Properties
        items={[
          ["Authorization server", <bdi key="issuer">{issuer}</bdi>],
          ["Scopes", scopes.length > 0 && <bdi>{scopes.join(" ")}</bdi>],
          ["Client", clients[client]],
        ]}
      />
      <Group mt="md" gap="sm">
        <Button component="a" href={url} rel="noreferrer">
          Continue to {new URL(url).host}
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Dialog>
  );
}
