import { HubError } from "../../errors.ts";

export const sourceTokenRefusal =
  "A token reads secret managers and references and cannot change them. Sign in and use Admin → Secret managers, or run `hub secret-source` on the hub's machine.";

export const workflowTokenRefusal =
  "A token cannot take a secret of a workflow from a secret manager. Sign in and name the reference there, or run `hub workflow secret use` on the hub's machine.";

/** A stolen token could name any secret of a manager, and a row of its holder's to send it to. */
export function checkChangesSources({ via }: { via: string }, refusal = sourceTokenRefusal): void {
  if (via === "session" || via === "command line" || via === "hub") return;
  throw new HubError("forbidden", refusal);
}
