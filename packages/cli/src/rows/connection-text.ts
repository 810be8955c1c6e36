import type { RowConnection } from "@hub/contract/row-connection.ts";
import { toFacts } from "../text/table.ts";

const states = {
  not_connected: "not connected",
  connected: "connected",
  lost: "must be connected again",
} as const;

/** The OAuth connection of a row as text. */
export function toConnectionText(connection: RowConnection): string {
  const { state, reason, issuer, address, scopes, connected_at, expires_at, renews } = connection;
  const facts: [string, string | null][] = [["connection", states[state]]];
  if (state === "not_connected") {
    return toFacts([...facts, ["redirect URI", connection.redirect_uri]]);
  }
  return toFacts([
    ...facts,
    ...(reason === null ? [] : [["reason", reason] satisfies [string, string]]),
    ["since", connected_at],
    ["authorization server", issuer],
    ["for", address],
    ["scopes", scopes.join(" ")],
    ["access ends", expires_at],
    ["renewed by the hub", renews ? "yes" : "no"],
  ]);
}
