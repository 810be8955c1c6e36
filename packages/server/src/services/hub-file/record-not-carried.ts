import type { HubFileWorkflow } from "@hub/contract/hub-file.ts";
import type { ApplyContext } from "./apply-context.ts";
import { kept } from "./export-hub.ts";

const namedMax = 10;

/** New workflows have neither the earlier versions nor the runs of the hub that the file is from. */
export function recordVersions({ changes, notes }: ApplyContext, firstChange: number): void {
  const made = changes.slice(firstChange).filter(({ action }) => action === "create");
  if (made.length === 0) return;
  const names = made.slice(0, namedMax).map(({ name }) => `"${name}"`);
  const more = made.length > namedMax ? ` and ${made.length - namedMax} more` : "";
  notes.push(
    `A hub file has no earlier versions and no runs of workflows. These begin anew here: ${names.join(", ")}${more}.`,
  );
}

/** The secrets of a new workflow that the file only names. */
export function recordKept(
  { notes }: ApplyContext,
  { id, name, secrets = {} }: HubFileWorkflow,
): void {
  const unset = Object.keys(secrets).filter((secret) => secrets[secret] === kept);
  if (unset.length === 0) return;
  notes.push(
    `The workflow "${name}" (${id}) has no value for ${unset.join(", ")}: the file says keep. Set it: hub workflow secret set ${id} NAME`,
  );
}
