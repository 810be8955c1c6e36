import { type BulkAction, type BulkResult, bulkRowsMax } from "@hub/contract/listed-row.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import { tagsSchema, toBadRequest } from "../../lib/input/check-input.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { approveReads } from "./discovery/review-operations.ts";
import { disableRow, enableRow } from "./manage-rows.ts";
import { setRow } from "./set-row.ts";

export type BulkInput = {
  /** Ids; one that is named twice is changed once. */
  rows: readonly string[];
  do: BulkAction;
  /** Of `add_tag` and `remove_tag`. */
  tag?: string | undefined;
};

type BulkDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now">;

/**
 * Changes many rows, each in its own transaction with its own record, as the functions for one row do. No version is
 * asked for: each action says what holds afterwards of one property, and so overwrites no change of another. A row that is
 * already as asked is not touched. Throws `bad_request` for an input that no row could follow.
 */
export async function changeRows(
  deps: BulkDeps,
  actor: Actor,
  input: BulkInput,
): Promise<BulkResult> {
  const ids = [...new Set(input.rows.map((id) => id.toLowerCase()))];
  if (ids.length > bulkRowsMax) {
    throw toBadRequest([{ path: "rows", message: `must have at most ${bulkRowsMax} rows.` }]);
  }
  const change = toChange(deps, actor, input);
  const result: BulkResult = { done: [], unchanged: [], failed: [] };
  for (const id of ids) {
    const row = await findRow(deps.store.db, id);
    try {
      if (row === null) throw new HubError("not_found", "There is no such row.");
      const isChanged = await change(row);
      result.done.push(id);
      if (!isChanged) result.unchanged.push(id);
    } catch (thrown) {
      if (!(thrown instanceof HubError)) throw thrown;
      result.failed.push({ id, label: row?.label ?? "", error: thrown.message });
    }
    // Lets calls run between two rows.
    await yieldToEventLoop();
  }
  return result;
}

/** The change of one row: false if it was as asked before. */
function toChange(
  deps: BulkDeps,
  actor: Actor,
  input: BulkInput,
): (row: RowRecord) => Promise<boolean> {
  switch (input.do) {
    case "enable":
      return async ({ id, disabled }) => {
        if (disabled) await enableRow(deps, actor, id);
        return disabled;
      };
    case "disable":
      return async ({ id, disabled }) => {
        if (!disabled) await disableRow(deps, actor, id);
        return !disabled;
      };
    case "add_tag": {
      const tag = readTag(input);
      return async ({ id, tags }) => {
        const isNew = !tags.some((one) => one === tag);
        if (isNew) await setRow(deps, actor, id, { addTags: [tag] });
        return isNew;
      };
    }
    case "remove_tag": {
      const tag = readTag(input);
      return async ({ id, tags }) => {
        const hasTag = tags.some((one) => one === tag);
        if (hasTag) await setRow(deps, actor, id, { removeTags: [tag] });
        return hasTag;
      };
    }
    case "approve_reads":
      return async ({ id }) => {
        await approveReads(deps, actor, id);
        return true;
      };
  }
}

/** As it is stored. */
function readTag({ tag, do: action }: BulkInput): string {
  const read = tagsSchema.safeParse(tag === undefined ? [] : [tag]);
  const [name] = read.success ? read.data : [];
  if (name !== undefined) return name.toLowerCase();
  throw toBadRequest([{ path: "tag", message: `must be the name of a tag for ${action}.` }]);
}
