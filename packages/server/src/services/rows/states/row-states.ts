import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import type { Row, RowDirectory } from "../../../connectors/rows/row-directory.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../../store/database/database.ts";
import { listLostConnections } from "../../../store/rows/row-connections.ts";
import {
  listActivity,
  type RowActivityRecord,
  readActivityStamp,
} from "../../../store/runs/row-activity.ts";
import { findRowState } from "./find-row-state.ts";
import type { KnownRow, RowFacts, RowStates } from "./known-row.ts";
import { toFacts } from "./row-facts.ts";

/** Rows about which much is found out before others get a turn, about 5 ms of work. */
const rowsAtOnce = 500;
const readAtOnce = 1_000;

type StatesDeps = {
  db: Db;
  directory: Pick<RowDirectory, "current">;
  registry: Pick<ConnectorRegistry, "find" | "generation">;
};

/** Keeps what is known of each row in memory until it changes, so that a list of thousands reads what is new. */
export function createRowStates({ db, directory, registry }: StatesDeps): RowStates {
  const activities = createActivityCache(db);
  let facts = new Map<string, { key: string; facts: RowFacts }>();

  async function readFacts(rows: readonly Row[]): Promise<ReadonlyMap<string, RowFacts>> {
    const generation = registry.generation();
    const kept: typeof facts = new Map();
    let found = 0;
    for (const row of rows) {
      const key = `${generation} ${row.version} ${row.record.operationsId}`;
      const known = facts.get(row.id);
      if (known?.key === key) {
        kept.set(row.id, known);
        continue;
      }
      kept.set(row.id, { key, facts: toFacts(registry, row.record, row.operations) });
      found += 1;
      if (found % rowsAtOnce === 0) await yieldToEventLoop();
    }
    facts = kept;
    return new Map([...kept].map(([id, one]) => [id, one.facts]));
  }

  return {
    async readAll(seen) {
      const present = await directory.current(seen);
      const [of, activity, lost] = [
        await readFacts(present.rows),
        await activities.current(),
        await listLostConnections(db),
      ];
      const rows = present.rows.flatMap((row): KnownRow[] => {
        const facts = of.get(row.id);
        if (facts === undefined) return [];
        const known = {
          facts,
          isDisabled: row.disabled,
          isTypeDisabled: present.isTypeDisabled(row.connectorKey),
          lost: lost.get(row.id) ?? null,
          activity: activity.get(row.id) ?? null,
        };
        return [{ ...known, record: row.record, state: findRowState(known) }];
      });
      return { rows, directory: present };
    },
  };
}

/** Reads what has changed since the last time. */
function createActivityCache(db: Db) {
  let known = new Map<string, RowActivityRecord>();
  let stamp = -1;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    let after = { stamp, rowId: "\uffff" };
    for (;;) {
      const part = await listActivity(db, after, readAtOnce);
      for (const { activity } of part) known.set(activity.rowId, activity);
      const last = part.at(-1);
      if (last === undefined) return;
      after = { stamp: last.stamp, rowId: last.activity.rowId };
      stamp = last.stamp;
      if (part.length < readAtOnce) return;
      await yieldToEventLoop();
    }
  }

  return {
    async current(): Promise<ReadonlyMap<string, RowActivityRecord>> {
      const present = await readActivityStamp(db);
      if (present < stamp) {
        // The database was replaced by an earlier state.
        known = new Map();
        stamp = -1;
      }
      // One that is under way may have begun before the newest change.
      await reading;
      if (present !== stamp) {
        reading ??= read().finally(() => {
          reading = null;
        });
        await reading;
      }
      return known;
    },
  };
}
