import type { Token } from "@hub/contract/token.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { findTokenState } from "./token-state.ts";

const states = {
  active: { tone: "good", text: "Active" },
  expired: { tone: "off", text: "Expired" },
  revoked: { tone: "off", text: "Revoked" },
} as const;

type Props = {
  tokens: readonly Token[];
  isOfOneUser?: boolean;
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
};

/** Personal access tokens. Revoking one asks for its name, because it cannot be undone. */
export function TokenTable({ tokens, isOfOneUser = false, ...more }: Props) {
  const toast = useToast();
  const [asked, setAsked] = useState<Token | null>(null);
  const revoke = useChange("POST /admin/api/tokens/{token}/revoke", {
    refreshes: ["GET /admin/api/tokens", "GET /profile/api/tokens", "GET /admin/api/changes"],
    onDone({ name }) {
      setAsked(null);
      toast({ text: `The token ${name} is revoked.` });
    },
    onFailed({ message }) {
      setAsked(null);
      toast({ kind: "error", text: message });
    },
  });
  return (
    <>
      <DataTable
        label="Tokens"
        rows={tokens}
        columns={toColumns(setAsked).filter(({ key }) => !isOfOneUser || key !== "user")}
        toKey={({ id }) => id}
        {...more}
      />
      <ConfirmDialog
        key={asked?.id ?? ""}
        isOpen={asked !== null}
        title={`Revoke ${asked?.name ?? ""}?`}
        action="Revoke"
        name={asked?.name ?? ""}
        isBusy={revoke.isPending}
        onConfirm={() => asked !== null && revoke.run({ params: { token: asked.id } })}
        onClose={() => setAsked(null)}
      >
        Clients of {asked?.user} that use it are refused from their next request on. This cannot be
        undone.
      </ConfirmDialog>
    </>
  );
}

/** For what has the shape of the table. */
export const tokenColumns = toColumns(() => {});

function toColumns(onRevoke: (token: Token) => void): Array<Column<Token>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(5.5rem, 2fr)",
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: "user",
      header: "User",
      width: "minmax(6rem, 2.4fr)",
      render: ({ user }) => <span title={user}>{user}</span>,
    },
    {
      key: "ends",
      header: "Token",
      width: "5.5rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ last_four: end }) => <code>…{end}</code>,
    },
    {
      key: "scope",
      header: "Scope",
      width: "6.5rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ scope }) => (
        <span title={scope === "mcp" ? "Calls tools" : "Calls tools and manages the hub"}>
          {scope === "mcp" ? "MCP" : "MCP and API"}
        </span>
      ),
    },
    {
      key: "used",
      header: "Last used",
      width: "8.5rem",
      isWideOnly: true,
      render: ({ last_used_at: at }) => (at === null ? "Never" : <TimeAt at={at} />),
    },
    {
      key: "expires",
      header: "Expires",
      width: "minmax(8.5rem, auto)",
      isWideOnly: true,
      render: ({ expires_at: at }) => (at === null ? "Never" : <TimeAt at={at} />),
    },
    {
      key: "state",
      header: "State",
      width: "5.25rem",
      isWideOnly: true,
      render: (token) => <StateBadge {...states[findTokenState(token, Date.now())]} />,
    },
    {
      key: "revoke",
      header: "Action",
      width: "4.75rem",
      align: "end",
      render: (token) =>
        findTokenState(token, Date.now()) !== "revoked" && (
          <Button
            size="compact-xs"
            variant="danger"
            aria-label={`Revoke ${token.name}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </Button>
        ),
    },
  ];
}
