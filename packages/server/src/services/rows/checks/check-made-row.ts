import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import { HubError } from "../../../errors.ts";

/** Throws `conflict` for a row that the hub makes from something else, with what to change instead. */
export function checkNotMade(
  registry: Pick<ConnectorRegistry, "find">,
  connectorKey: string,
): void {
  const connector = registry.find(connectorKey);
  if (connector?.madeFrom === undefined) return;
  throw new HubError(
    "conflict",
    `Rows of ${connector.name} are neither added nor changed by hand. ${connector.madeFrom}`,
  );
}
