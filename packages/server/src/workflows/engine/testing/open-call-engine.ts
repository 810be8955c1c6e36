import type { ConnectorDefinition } from "@hub/connector";
import type { Caller } from "../../../caller.ts";
import type { Calls } from "../../../operations/ports.ts";
import { openTestOperations } from "../../../operations/testing/open-test-operations.ts";
import type { EngineDeps } from "../engine.ts";
import { createOpenChannel } from "../nodes/channel-node.ts";
import { createNodeTypes } from "../nodes/create-node-types.ts";
import { createOpenHttp, type HttpDeps } from "../nodes/http-node.ts";
import { createOpenOperation } from "../nodes/operation-node.ts";
import { findUsedRow } from "../secrets/find-used-row.ts";
import { openEngine, openEngineStore, owner } from "./open-engine.ts";

type Options = {
  /** The owner of the workflows, who is an admin by default. */
  caller?: Partial<Caller>;
  http?: Partial<HttpDeps>;
  operations?: Parameters<typeof openTestOperations>[1];
  engine?: Partial<EngineDeps>;
  /** Stands before the calls of operation nodes. */
  toCalls?(calls: Calls): Calls;
};

/** An engine whose nodes call outside systems through the call pipeline. */
export async function openCallEngine(connector: ConnectorDefinition, options: Options = {}) {
  const resources = new AsyncDisposableStack();
  const { store } = resources.use(await openEngineStore());
  const calls = await openTestOperations(connector, { store, ...options.operations });
  resources.defer(() => calls.close());
  const { operations } = calls;
  const caller = { ...owner, role: "admin" as const, ...options.caller };
  const hub = resources.use(
    await openEngine(
      undefined,
      () => ({
        nodeTypes: createNodeTypes({
          openOperation: createOpenOperation({
            ...operations,
            calls: options.toCalls?.(operations.calls) ?? operations.calls,
          }),
          openChannel: createOpenChannel({ ...operations, directory: calls.directory }),
          openHttp: createOpenHttp({
            records: operations.records,
            isForUsers: false,
            allow: [],
            ...options.http,
          }),
        }),
        findUsedRow: (toolId) => findUsedRow({ directory: calls.directory }, toolId),
        findCaller: async () => caller,
        ...options.engine,
      }),
      store,
    ),
  );
  return { ...hub, calls, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
