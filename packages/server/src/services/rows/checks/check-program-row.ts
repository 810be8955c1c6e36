import type { Actor } from "../../../changes/actor.ts";
import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import { HubError } from "../../../errors.ts";

/**
 * Throws `forbidden` if a token makes or changes a row that starts a program: a stolen token could run
 * any program on the hub's machine.
 */
export function checkProgramRow(
  registry: Pick<ConnectorRegistry, "find">,
  actor: Pick<Actor, "via">,
  connectorKey: string,
  texts: ReadonlyMap<string, string>,
): void {
  if (actor.via === "session" || actor.via === "command line") return;
  if (registry.find(connectorKey)?.startsProgram?.(texts) !== true) return;
  throw new HubError(
    "forbidden",
    "A token cannot make or change a row that starts a program on the hub's machine. Sign in with a browser, or use the command line on that machine.",
  );
}
