import {
  type ConnectorDefinition,
  createGuardedFetch,
  type FetchInit,
  type GuardedFetchOptions,
  runDiscovery,
  runFindServers,
  runGenerator,
  runHealth,
  runLookup,
  runOperation,
  runRowOperation,
  withTraceContext,
} from "@hub/connector";
import type { ConnectorCall, Invocation, RegisteredConnector } from "./connector-port.ts";

/** The DNS resolver; the machine's by default. */
export type Network = Pick<GuardedFetchOptions, "resolve">;

export type LocalOptions = Network &
  Pick<RegisteredConnector, "isChat" | "adminOperations" | "boundOperations" | "scriptOperations">;

/**
 * A connector that runs in this process. `extend` adds to the public context for the hub's own
 * connectors, such as the caller.
 */
export function createLocalConnector<Extra extends object>(
  definition: ConnectorDefinition<Extra>,
  extend: (call: ConnectorCall & Pick<Invocation, "approved">) => Extra,
  { resolve, isChat, adminOperations, boundOperations, scriptOperations }: LocalOptions = {},
): RegisteredConnector {
  const network: Network = resolve === undefined ? {} : { resolve };
  const { health, lookup, generators, byRow } = definition;
  const toTools = (call: ConnectorCall & Pick<Invocation, "approved">) => ({
    ...toCallTools(call, network),
    ...extend(call),
  });
  const toOperationTools = (call: Invocation) => ({
    ...toTools(call),
    progress: call.progress,
    ...(call.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
  });
  return {
    key: definition.key,
    name: definition.name,
    description: definition.description,
    icon: definition.icon,
    tier: definition.tier,
    configFields: definition.configFields,
    ...(isChat && { isChat }),
    ...(adminOperations && { adminOperations }),
    ...(boundOperations && { boundOperations }),
    ...(scriptOperations && { scriptOperations }),
    operations: definition.operations,
    invoke: (call) =>
      call.rowOperation === undefined
        ? runOperation(
            definition,
            call.operation,
            { config: call.config, params: call.params, input: call.widget?.inputs ?? {} },
            toOperationTools(call),
          )
        : runRowOperation(
            definition,
            call.rowOperation,
            { config: call.config, params: call.params },
            toOperationTools(call),
          ),
    ...(byRow && {
      discover: ({ document, leaveOut = () => {}, describe, ...call }) =>
        runDiscovery(
          definition,
          { config: call.config, ...(document !== undefined && { document }) },
          { ...toTools(call), leaveOut, ...(describe && { describe }) },
        ),
    }),
    ...(byRow?.findServers && {
      findServers: ({ document, ...call }) =>
        runFindServers(
          definition,
          { config: call.config, ...(document !== undefined && { document }) },
          toTools(call),
        ),
    }),
    ...(health && {
      health: (call) => runHealth(definition, { config: call.config }, toTools(call)),
    }),
    ...(lookup && {
      lookup: ({ source, query, ...call }) =>
        runLookup(definition, { config: call.config, source, query }, toTools(call)),
    }),
    ...(generators.size > 0 && {
      generate: (fieldKey) => runGenerator(definition, fieldKey),
    }),
  };
}

/** The context of a connector's function, taken from its call. */
function toCallTools(call: ConnectorCall, network: Network) {
  return {
    ...(call.trace !== undefined && { trace: call.trace }),
    signal: call.signal,
    mask: call.mask,
    maskIgnoreCase: call.maskIgnoreCase,
    log: call.log,
    async fetch(input: string | URL | Request, init?: FetchInit) {
      // Created on first use, because many calls need no network.
      const { outbound: policy, signal, rowId: pool } = call;
      const guardedFetch = createGuardedFetch({ ...network, policy, signal, pool });
      const response = await guardedFetch(input, withTraceContext(call, input, init));
      call.recordHttpStatus(response.status);
      return response;
    },
  };
}
