import type { CallableOperation } from "@hub/contract/callable-operation.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** Matches of words that are shown. A reader who needs more of them adds a word. */
const matchesMax = 1_000;

export type CallableQuery = {
  /** As for `hub_search`; empty for all operations. */
  q: string;
  /** Id of the only row. */
  row?: string | undefined;
  /** Key of the only connector. */
  connector?: string | undefined;
  limit: number;
  /** The operations before the page. */
  after: number;
};

export type CallablePage = {
  operations: CallableOperation[];
  total: number;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
  related: string[];
};

type ListDeps = { operations: Pick<ServiceDeps["operations"], "catalogue" | "records"> };

/**
 * A page of the operations that clients of the caller can call now: with words as `hub_search` finds and ranks
 * them, else by rows in order. A search counts as a call of the caller, because it costs as much as one.
 */
export async function listCallable(
  { operations: { catalogue, records } }: ListDeps,
  ctx: CallContext,
  { q, row, connector, limit, after }: CallableQuery,
): Promise<CallablePage> {
  const hasWords = q.trim() !== "";
  const end = hasWords ? Math.min(after + limit, matchesMax) : after + limit;
  const wanted = {
    query: q,
    within: { rowId: row?.toLowerCase(), connectorKey: connector },
    limit: Math.max(end - after, 0),
    offset: Math.min(after, end),
  };
  const browse = () => catalogue.browse(ctx.caller, wanted);
  let found: Awaited<ReturnType<typeof browse>> | null = null;
  if (hasWords) {
    const search = { operationKey: "hub_search", request: { query: q } };
    await records.answer(ctx, search, async () => {
      found = await browse();
      return null;
    });
  }
  const { tools, total, related } = found ?? (await browse());
  const shownMax = hasWords ? Math.min(total, matchesMax) : total;
  return {
    operations: tools.map((tool) => ({
      tool_id: tool.toolId,
      row: tool.rowId,
      operation: tool.operationKey,
      label: tool.label,
      connector: tool.connectorKey,
      connector_name: tool.connectorName,
      logo: tool.logo,
      name: tool.name,
      description: tool.description,
      destructive: tool.isDestructive,
      reads: tool.isReading,
      may_test: tool.mayTest,
    })),
    total,
    next: tools.length > 0 && end < shownMax ? String(end) : null,
    related: [...related],
  };
}
