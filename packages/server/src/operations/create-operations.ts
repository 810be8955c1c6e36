import type { SeenRevision } from "../caller.ts";
import { systemTimers } from "../lib/timers.ts";
import { yieldToEventLoop } from "../lib/yield-to-event-loop.ts";
import { checkCall } from "./check-call.ts";
import { checkHealth } from "./check-health.ts";
import { discover } from "./discover.ts";
import { type ExecuteDeps, executeOperation } from "./execute-operation.ts";
import { executeTask } from "./execute-task.ts";
import { checkAccess, checkPresent, findTarget, toTestPath } from "./find-operation.ts";
import { findServers } from "./find-servers.ts";
import { lookUp } from "./look-up.ts";
import { createLookUpCache } from "./look-up-cache.ts";
import type { Operations } from "./operations.ts";
import { recordCall } from "./record-call.ts";
import { createRunningCalls } from "./running-calls.ts";
import { createToolSearch } from "./search/search-tools.ts";
import { createSemanticSearch, type SemanticDeps } from "./search/semantic-search.ts";
import {
  type Catalogue,
  createCatalogue,
  listEntries,
  listVisibleRows,
  toDetail,
} from "./tool-catalogue.ts";
import { createRightWatch } from "./watch-right.ts";

/** Builds the call pipeline and the tool catalogue. */
export function createOperations(
  given: Omit<ExecuteDeps, "running" | "rights"> & {
    /** Without it, searches compare operations by words alone. */
    embeddings?: SemanticDeps | null;
  },
): Operations {
  const running = createRunningCalls();
  const rights = createRightWatch({ ...given, running, timers: systemTimers });
  const deps: ExecuteDeps = { ...given, running, rights };
  const lookUps = createLookUpCache(given);
  let catalogue: Catalogue | null = null;
  const { embeddings, ring } = given;
  const search = createToolSearch(
    embeddings ? createSemanticSearch({ ...embeddings, ring }, yieldToEventLoop) : null,
  );

  async function currentCatalogue(seen?: SeenRevision): Promise<Catalogue> {
    const directory = await deps.directory.current(seen);
    if (catalogue?.stamp !== directory.stamp) catalogue = createCatalogue(deps, directory);
    return catalogue;
  }

  return {
    execute: (ctx, request) => executeOperation(deps, ctx, request, "client"),
    executeTask: (ctx, task) => executeTask(deps, ctx, task),
    test: (ctx, request) =>
      executeOperation(deps, ctx, request, toTestPath(ctx.caller, request.widget !== undefined)),
    checkHealth: (ctx, rowId) => checkHealth(deps, ctx, rowId),
    discover: (ctx, request) => discover(deps, ctx, request),
    findServers: (ctx, request) => findServers(deps, ctx, request),
    async lookUp(ctx, question) {
      const { rowId, source, query } = question;
      const { userId, role, tags } = ctx.caller;
      // Everything that can change an answer, or who may see it, is in the stamp or in the caller.
      const { stamp } = await deps.directory.current(ctx.caller.seen);
      const parts = [stamp, rowId, source, query, userId, role, ...[...tags].sort()];
      return await lookUps.get(parts, () => lookUp(deps, ctx, question));
    },
    cancel: (runId, reason) => running.cancel(runId, reason),
    countRunning: () => running.count(),
    record: (ctx, { operationKey, request, isWhole = false }, answer) => {
      const description = { connectorId: null, rowLabel: null, operationKey, request };
      return recordCall(deps, ctx, description, answer, { isWhole });
    },
    async listTools(caller) {
      const rows = listVisibleRows(await currentCatalogue(caller.seen), caller);
      return await listEntries(rows, yieldToEventLoop);
    },
    async searchTools(caller, wanted) {
      return await search.search(await currentCatalogue(caller.seen), caller, wanted);
    },
    async prepareSearch() {
      await search.prepare(await currentCatalogue());
    },
    checkCall: (caller, request) => checkCall(deps, caller, request),
    async getTool(caller, toolId) {
      const directory = await deps.directory.current(caller.seen);
      const target = findTarget(deps, directory, toolId);
      if (target === null) checkPresent(deps, directory, { caller, toolId });
      checkAccess(caller, directory, target, "client");
      return toDetail(target);
    },
  };
}
