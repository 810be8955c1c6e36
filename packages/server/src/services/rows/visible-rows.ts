import type { Row, RowView } from "@hub/contract/row.ts";
import type { Caller } from "../../caller.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import { isVisible } from "../../connectors/visibility.ts";
import { HubError } from "../../errors.ts";
import type { Store } from "../../store/open-store.ts";
import { findRow, listRows, type RowRecord } from "../../store/rows.ts";
import { listDisabledTypes } from "../../store/states.ts";
import { EVERYONE_TAG } from "../../store/tags.ts";
import { toRow, toRowOperations } from "./present-row.ts";

type VisibleDeps = { store: Pick<Store, "db">; registry: ConnectorRegistry };

/** Reads of rows for whoever asks: what is hidden from a caller is in none of them. */
export function createVisibleRows({ store, registry }: VisibleDeps) {
  const present = async () => ({
    registry,
    disabledTypes: await listDisabledTypes(store.db),
  });

  /** Null for a row that is not there, and for one that the caller does not see. */
  const find = async (caller: Caller, id: string): Promise<RowRecord | null> => {
    const row = await findRow(store.db, id.toLowerCase());
    return row !== null && isVisible(caller, row) ? row : null;
  };

  return {
    async isVisible(caller: Caller, id: string): Promise<boolean> {
      return (await find(caller, id)) !== null;
    },

    /** Oldest first. */
    async listFor(caller: Caller, filter: { connectorKey?: string } = {}): Promise<Row[]> {
      const rows = await listRows(store.db, filter);
      const deps = await present();
      return rows
        .filter((row) => isVisible(caller, row))
        .map((row) => withOwnTags(caller, toRow(deps, row)));
    },

    async showFor(caller: Caller, id: string): Promise<RowView> {
      const row = await find(caller, id);
      if (row === null) throw new HubError("not_found", "There is no such row.");
      const connector = registry.find(row.connectorKey);
      const operations = connector === null ? [] : toRowOperations(connector, row);
      return {
        ...withOwnTags(caller, toRow(await present(), row)),
        // What exists behind the settings alone is no news for those who only call.
        operations: operations.filter((one) => caller.role === "admin" || !one.test_only),
      };
    },
  };
}

/** Names of tags that somebody else has are nobody's business but the admins'. */
function withOwnTags(caller: Caller, row: Row): Row {
  if (caller.role === "admin") return row;
  return { ...row, tags: row.tags.filter((tag) => tag === EVERYONE_TAG || caller.tags.has(tag)) };
}
