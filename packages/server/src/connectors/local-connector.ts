import {
  type ConnectorDefinition,
  createGuardedFetch,
  runOperation,
  toFieldNames,
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
  const toContext = (call: ConnectorCall) => ({
    ...toCallTools(call),
    ...extend(call),
    config: toFieldNames(definition.configFields, call.config),
  });
  return {
    key: definition.key,
    name: definition.name,
    description: definition.description,
    icon: definition.icon,
    tier: definition.tier,
    configFields: definition.configFields,
    operations: definition.operations,
    async invoke(call) {
      const values = { config: call.config, params: call.params };
      const tools = { ...toCallTools(call), ...extend(call), progress: call.progress };
      return await runOperation(definition, call.operation, values, tools);
    },
    ...(health && { health: async (call) => await health(toContext(call)) }),
    ...(lookup && {
      lookup: async (call) =>
        await lookup({ ...toContext(call), source: call.source, query: call.query }),
    }),
    ...(generators.size > 0 && {
      generate: async (fieldKey) => {
        const generate = generators.get(fieldKey);
        if (generate === undefined) throw new Error(`No generator for the field "${fieldKey}".`);
        return await generate();
      },
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
