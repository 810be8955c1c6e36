import type { RowSettings } from "@hub/contract/row-settings.ts";
import type { Actor } from "../../../changes/actor.ts";
import { toPlainTexts } from "../../../connectors/rows/to-plain-texts.ts";
import { HubError } from "../../../errors.ts";
import { openAtRest } from "../../../secrets/at-rest/at-rest.ts";
import { findConnector } from "../../connectors/find-connector.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";
import { showRowSettings } from "../manage-rows.ts";
import { setRow } from "../set-row.ts";

type SealDeps = Pick<ServiceDeps, "store" | "ring" | "references" | "registry" | "now">;

/**
 * Moves likely secrets from fields that are stored in plain text into the row's sealed field `secrets`.
 * The row does the same as before. Throws `conflict` if it has changed since `version`.
 */
export async function sealExposedSecrets(
  deps: SealDeps,
  actor: Actor,
  rowId: string,
  { version }: { version?: number | undefined } = {},
): Promise<RowSettings> {
  const { store, ring, registry } = deps;
  const row = await loadRow(store.db, rowId);
  const { sealExposed } = findConnector(registry, row.connectorKey);
  const stored = row.values.find(({ key }) => key === "secrets")?.sealed ?? null;
  const location = { table: "row_values", row: row.id, field: "secrets" };
  const secrets = stored === null ? undefined : openAtRest(ring.current(), location, stored);
  const found = sealExposed?.(toPlainTexts(row), secrets);
  if (found === undefined || found.exposed.length === 0) {
    throw new HubError("bad_request", `"${row.label}" has no likely secret in plain text.`);
  }
  const values = Object.fromEntries(found.texts);
  await setRow(deps, actor, row.id, { values, version: version ?? row.version });
  return await showRowSettings(deps, row.id);
}
