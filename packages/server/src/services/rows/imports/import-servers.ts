import type { ImportReport } from "@hub/contract/server-import.ts";
import type { Actor } from "../../../changes/actor.ts";
import { HubError, toHubError } from "../../../errors.ts";
import type { Transaction } from "../../../store/database/database.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { stampAccess, writeAccess } from "../access/set-access.ts";
import { addRow } from "../manage-rows.ts";
import { findImportedConnector, type ImportFile, planRows } from "./plan-import.ts";

type ImportDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now" | "config">;

export type ImportInput = ImportFile & {
  /** The chosen servers, by their index in the plan. */
  servers: readonly number[];
  tags: readonly string[];
  /** Ids of users who get access to each row by its own tag. */
  people?: readonly string[] | undefined;
};

/**
 * Makes a row of each chosen server. A server that cannot become a row does not keep the others out.
 * After a failure of the hub, the rest is not tried.
 */
export async function importServers(
  deps: ImportDeps,
  actor: Actor,
  { servers, tags, people = [], ...file }: ImportInput,
): Promise<ImportReport> {
  const planned = await planRows(deps, file);
  const report: ImportReport = { added: [], failed: [] };
  let isStopped = false;
  for (const index of new Set(servers)) {
    const { shown, row } = planned[index] ?? { shown: null, row: null };
    const label = shown?.label ?? `Server ${index + 1}`;
    const fail = (reason: string) => void report.failed.push({ index, label, reason });
    if (isStopped) fail("It was not tried, because the import stopped before it.");
    else if (row === null) fail(shown?.problem ?? "The file has no such server.");
    else {
      try {
        const { values } = row;
        const connector = findImportedConnector(deps);
        const input = { connector, label, tags: [...tags], values };
        const added = await addRow(deps, actor, input, toAccess(deps, actor, people));
        report.added.push({ index, id: added.id, label, missing: added.missing ?? [] });
      } catch (thrown) {
        isStopped = !(thrown instanceof HubError) || thrown.code === "internal";
        // Nothing is made yet, so it is a plain failure.
        if (isStopped && report.added.length === 0) throw thrown;
        fail(toHubError(thrown).message);
      }
    }
  }
  return report;
}

/** Gives people access in the transaction that makes the row. */
function toAccess({ now }: Pick<ImportDeps, "now">, actor: Actor, people: readonly string[]) {
  if (people.length === 0) return {};
  const give = [...people];
  const stamps = stampAccess(actor, now(), { give });
  return {
    complete: (trx: Transaction, id: string) => writeAccess(trx, id, { give, take: [] }, stamps),
  };
}
