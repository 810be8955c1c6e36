import type { TokenBounds } from "@hub/contract/token.ts";
import { repeated, type Values } from "../declare/parameters.ts";
import { toUsageError } from "../errors/usage-error.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";

/** The options that limit what a token may call, and from where. */
export const boundOptions = {
  row: repeated("<row>", "only this row, and others that are named; may be repeated"),
  operation: repeated(
    "<row/operation>",
    "only this operation, and others that are named, such as Tracker/list_issues or a tool id; may be repeated",
  ),
  address: repeated("<network>", "only from this address or network; may be repeated"),
};

/** Bounds with the ids of what the options name. Undefined without such an option. */
export async function toBounds(
  { findRowId }: Pick<Lookups, "findRowId">,
  { row, operation, address }: Values<typeof boundOptions>,
): Promise<TokenBounds | undefined> {
  if ((row ?? operation ?? address) === undefined) return undefined;
  const rows = row && (await Promise.all(row.map(findRowId)));
  const operations =
    operation && (await Promise.all(operation.map((typed) => toToolId(findRowId, typed))));
  return {
    ...(rows && { rows }),
    ...(operations && { operations }),
    ...(address && { addresses: address }),
  };
}

async function toToolId(findRowId: Lookups["findRowId"], typed: string): Promise<string> {
  const slash = typed.lastIndexOf("/");
  if (slash < 1 || slash === typed.length - 1) {
    throw toUsageError(`"${typed}" names no operation. Write ROW/OPERATION, such as Tracker/read.`);
  }
  const row = await findRowId(typed.slice(0, slash).replace(/^conn:/, ""));
  return `conn:${row}/${typed.slice(slash + 1)}`;
}
