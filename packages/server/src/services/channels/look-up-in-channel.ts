import type { LookupItem } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRowBySlug } from "../../store/rows/rows-table.ts";
import { type TestContext, toCallContext } from "../rows/test-row.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** The row of a channel. Throws `not_found` also for one that the caller does not see. */
export async function loadChannel(db: Db, caller: Caller, slug: string): Promise<RowRecord> {
  const row = await findRowBySlug(db, slug);
  if (row !== null && isVisible(caller, row)) return row;
  throw new HubError("not_found", "There is no such channel.");
}

/** At most twenty items of a source of a channel, such as its users. */
export async function lookUpInChannel(
  { store, operations }: Pick<ServiceDeps, "store" | "operations">,
  ctx: TestContext,
  slug: string,
  question: { source: string; query: string },
): Promise<LookupItem[]> {
  const { id: rowId } = await loadChannel(store.db, ctx.caller, slug);
  return await operations.rows.lookUp(toCallContext(ctx), { rowId, ...question });
}
