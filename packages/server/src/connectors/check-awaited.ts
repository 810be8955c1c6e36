import { HubError } from "../errors.ts";
import type { ConnectorRegistry } from "./registry.ts";

/** Throws `plugin_unavailable` if the connector is installed, but not on this server yet. */
export function checkAwaited(registry: Pick<ConnectorRegistry, "isAwaited">, key: string): void {
  if (registry.isAwaited(key)) throw toAwaitedError(key);
}

export function toAwaitedError(key: string): HubError {
  return new HubError(
    "plugin_unavailable",
    `The plugin "${key}" is installed, but the server that took this request does not have it yet. Try again in a few seconds; if this stays, ask an admin to run \`hub doctor\`.`,
  );
}
