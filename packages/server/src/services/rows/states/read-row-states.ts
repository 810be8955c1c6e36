import type { ListedRow } from "@hub/contract/listed-row.ts";
import type { RowStateName } from "@hub/contract/row-state.ts";
import type { Caller } from "../../../caller.ts";
import { listLostConnections } from "../../../store/rows/row-connections.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { listDisabledTypes } from "../../../store/rows/switches.ts";
import {
  type RowActivityRecord,
  readActivities,
  toRecord,
} from "../../../store/runs/row-activity.ts";
import { listRunMessages } from "../../../store/runs/runs-table.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { findRowState } from "./find-row-state.ts";
import type { KnownRow } from "./known-row.ts";
import { toActivity, toAdminState, toUserState } from "./present-state.ts";
import { toFacts } from "./row-facts.ts";

type StateDeps = Pick<ServiceDeps, "store" | "registry">;

/** What a list adds to a row. */
export type Stated = Pick<ListedRow, "state" | "activity" | "operations_enabled">;

/** A statement has a limited number of parameters. */
const rowsAtOnce = 500;

/** The states of some rows as the caller sees them, by id. The caller sees these rows. */
export async function readRowStates(
  deps: StateDeps,
  caller: Pick<Caller, "role">,
  rows: readonly RowRecord[],
): Promise<Map<string, Stated>> {
  return await presentStates(deps, caller, await findKnown(deps, rows));
}

/** What is known of these rows, as it is stored. */
export async function findKnown(
  { store, registry }: StateDeps,
  rows: readonly RowRecord[],
): Promise<KnownRow[]> {
  const lost = await listLostConnections(store.db);
  const disabledTypes = await listDisabledTypes(store.db);
  const found: KnownRow[] = [];
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    const part = rows.slice(first, first + rowsAtOnce);
    const activities = await readActivities(
      store.db,
      part.map(({ id }) => id),
    );
    for (const record of part) {
      const stored = activities.get(record.id);
      const known = {
        facts: toFacts(registry, record, await registry.loadOperations(store.db, record)),
        isDisabled: record.disabled,
        isTypeDisabled: disabledTypes.has(record.connectorKey),
        lost: lost.get(record.id) ?? null,
        activity: stored === undefined ? null : toRecord(stored),
      };
      found.push({ ...known, record, state: findRowState(known) });
    }
  }
  return found;
}

/** As the caller sees them, by id. */
export async function presentStates(
  { store }: Pick<StateDeps, "store">,
  { role }: Pick<Caller, "role">,
  rows: readonly KnownRow[],
): Promise<Map<string, Stated>> {
  if (role !== "admin") {
    return new Map(
      rows.map(({ record, state, facts }) => [
        record.id,
        { state: toUserState(state), activity: null, operations_enabled: facts.enabled.user },
      ]),
    );
  }
  const messages = await listRunMessages(store.db, rows.flatMap(findQuotedRun));
  return new Map(
    rows.map((known) => {
      const { record, state, activity, facts } = known;
      const message = messages.get(activity?.outcome?.run ?? "") ?? null;
      return [
        record.id,
        {
          state: toAdminState(state, record, known, message),
          activity: toActivity(activity),
          operations_enabled: facts.enabled.admin,
        },
      ];
    }),
  );
}

/** The run whose message is the reason of the state. */
function findQuotedRun({
  state,
  activity,
}: {
  state: RowStateName;
  activity: RowActivityRecord | null;
}): string[] {
  const isQuoted = state === "unreachable" || state === "refused" || state === "failing";
  return isQuoted && activity?.outcome != null ? [activity.outcome.run] : [];
}
