import type { BulkAction, BulkResult } from "@hub/contract/listed-row.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadRow } from "./load-row.ts";
import { disableRow, enableRow } from "./manage-rows.ts";

export type BulkInput = { rows: readonly string[]; do: BulkAction; tag?: string | undefined };

export async function changeRows(
  deps: ServiceDeps,
  actor: Actor,
  input: BulkInput,
): Promise<BulkResult> {
  const result: BulkResult = { done: [], failed: [] };
  for (const id of input.rows) {
    let label = "";
    try {
      label = (await loadRow(deps.store.db, id)).label;
      await (input.do === "enable" ? enableRow(deps, actor, id) : disableRow(deps, actor, id));
      result.done.push(id);
    } catch (thrown) {
      if (!(thrown instanceof HubError)) throw thrown;
      result.failed.push({ id, label, error: thrown.message });
    }
  }
  return result;
}
