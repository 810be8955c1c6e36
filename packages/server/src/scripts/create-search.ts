import { createCallerReader } from "../operations/batches/inner-calls.ts";
import type { CallContext } from "../operations/operations.ts";
import type { CallRecords, ToolCatalogue } from "../operations/ports.ts";

type SearchDeps = {
  catalogue: Pick<ToolCatalogue, "search">;
  records: Pick<CallRecords, "record">;
};

/** Searches as `hub_search` does, with its record. Resolves with the JSON text of the answer. */
export function createSearch(
  { catalogue, records }: SearchDeps,
  ctx: CallContext,
): (query: string, signal: AbortSignal) => Promise<string> {
  const findFreshCaller = createCallerReader(ctx);
  return async (query, own) => {
    const signal = AbortSignal.any([ctx.signal, own]);
    await ctx.waitForTurn?.(signal);
    signal.throwIfAborted();
    const caller = await findFreshCaller();
    const recorded = { operationKey: "hub_search", request: { query } };
    const { text } = await records.record({ ...ctx, caller, signal }, recorded, async () => {
      const { tools, total, ...hints } = await catalogue.search(caller, { query });
      // The catalogue answers JSON.
      return JSON.parse(JSON.stringify({ tools, total, query, ...hints }));
    });
    return text;
  };
}
