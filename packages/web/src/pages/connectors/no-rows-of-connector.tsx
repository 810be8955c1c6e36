import { Link } from "@tanstack/react-router";
import type { Answer } from "../../api/call-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { NewRowButton } from "./new-row-button.tsx";

type Props = {
  /** Null if it is not installed. */
  connector: Answer<"GET /manager/api/connectors/{key}"> | null;
  isAdmin: boolean;
};

/** What a row of this connector is, and the way to the first one. */
export function NoRowsOfConnector({ connector, isAdmin }: Props) {
  const madeFrom = connector?.made_from ?? null;
  if (isAdmin && madeFrom !== null) {
    return (
      <EmptyState icon="connectors" title="No rows yet">
        {`The hub makes the rows. ${madeFrom}`}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="connectors"
      title={isAdmin ? "No rows yet" : "No rows for you yet"}
      action={isAdmin && connector !== null && <NewRowButton of={connector.key} />}
    >
      {`A row is one account or address of ${connector?.name ?? "this connector"}, with its own settings, tags and history.${isAdmin ? "" : " You see those that have one of your tags. An admin can give you one."}`}
    </EmptyState>
  );
}

/** The first call of a new hub. */
export function TryHub() {
  return (
    <Card title="Try it">
      This connector needs no account. Ask your client: “Who am I in the hub?” It calls{" "}
      <code>whoami</code> and the call appears under <Link to="/manager/runs">Calls</Link>.
    </Card>
  );
}
