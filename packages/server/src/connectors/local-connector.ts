import {
  type ConnectorDefinition,
  createGuardedFetch,
  runGenerator,
  runHealth,
  runLookup,
  runOperation,
} from "@hub/connector";
import type { ConnectorCall, Invocation, RegisteredConnector } from "./connector-port.ts";

/**
 * A connector that runs inside this process. `extend` gives what the hub's own connectors get
 * beyond the public context, such as the caller.
 */
export function createLocalConnector<Extra extends object>(
  definition: ConnectorDefinition<Extra>,
  extend: (call: ConnectorCall) => Extra,
): RegisteredConnector {
  const { health, lookup, generators } = definition;
  return {
    key: definition.key,
    name: definition.name,
    description: definition.description,
    icon: definition.icon,
    tier: definition.tier,
    configFields: definition.configFields,
    operations: definition.operations,
    invoke: (call) =>
      runOperation(
        definition,
        call.operation,
        { config: call.config, params: call.params },
        { ...toCallTools(call), ...extend(call), progress: call.progress },
      ),
    ...(health && {
      health: (call) =>
        runHealth(definition, { config: call.config }, { ...toCallTools(call), ...extend(call) }),
    }),
    ...(lookup && {
      lookup: ({ source, query, ...call }) =>
        runLookup(
          definition,
          { config: call.config, source, query },
          { ...toCallTools(call), ...extend(call) },
        ),
    }),
    ...(generators.size > 0 && {
      generate: (fieldKey) => runGenerator(definition, fieldKey),
    }),
  };
}

/** What a connector's function may use, taken from the call that runs it. */
function toCallTools(call: ConnectorCall | Invocation) {
  return {
    signal: call.signal,
    mask: call.mask,
    maskIgnoreCase: call.maskIgnoreCase,
    log: call.log,
    async fetch(input: string | URL | Request, init?: RequestInit) {
      // Built when first used: most calls of a connector that keeps to itself never need it.
      const guardedFetch = createGuardedFetch({ policy: call.outbound, signal: call.signal });
      const response = await guardedFetch(input, init);
      if ("noteHttpStatus" in call) call.noteHttpStatus(response.status);
      return response;
    },
  };
}
