import type { FieldSpec, Health, LookupItem, TraceContext } from "@hub/connector";
import { fromModuleManifest, reservedOperations } from "@hub/connector/plugin";
import { toMarkable } from "../connectors/by-row/marked-operations.ts";
import type { ConnectorCall, RegisteredConnector } from "../connectors/connector-port.ts";
import { HubError } from "../errors.ts";
import { toTooLargeValue } from "../lib/json/plain-json.ts";
import { UnreadBody } from "../lib/streams/unread-body.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { InstalledPlugin } from "./installed/installed-plugin.ts";
import type { PluginListener } from "./process/plugin-client.ts";
import type { Log } from "./process/plugin-log.ts";
import type { PluginProcessPool } from "./process/pool.ts";
import type { PluginRequest } from "./process/to-request.ts";

type ConnectorDeps = {
  pool: Pick<PluginProcessPool, "call">;
  log: Log;
  /** Null or absent if no traces are recorded. */
  tracing?: Tracing | null;
};

type Request = Pick<PluginRequest, "operation" | "params" | "widget" | "idempotencyKey">;

/**
 * A connector whose functions run in a plugin's process. Throws an Error that names the member if
 * the plugin's manifest is invalid.
 */
export function createPluginConnector(
  { pool, log, tracing = null }: ConnectorDeps,
  plugin: InstalledPlugin,
): RegisteredConnector {
  const { module, proto_version: protoVersion } = plugin.manifest;
  const { key, name, description, icon, configFields, ...can } = fromModuleManifest(
    module,
    protoVersion,
  );
  // Without a signature of a trusted key, there is no author to answer for what the manifest says of an operation.
  const isSigned = plugin.signature === "signed";
  const operations = isSigned ? can.operations : toMarkable(can.operations);

  const run = (request: Request, call: ConnectorCall, inputFields: readonly FieldSpec[]) =>
    pool.call(plugin, call.signal, (running) => {
      const { config, outbound } = call;
      // Lines that the plugin prints are logged without this call's mask.
      running.addSecrets([
        ...findSecrets(configFields, config),
        ...findSecrets(inputFields, request.params),
        ...call.secrets,
      ]);
      const listener = toListener(call, (value) => running.addSecrets([value]));
      const requestId = call.runId;
      const full = { ...request, requestId, config, outbound };
      if (!tracing?.isActive()) return running.client.execute(full, listener);
      return traceExecute(tracing, (trace) => running.client.execute({ ...full, trace }, listener));
    });

  const ask = async (...asked: Parameters<typeof run>) => checkSmall(await run(...asked));

  return {
    ...(plugin.signer !== undefined && { publisher: plugin.signer }),
    key,
    name,
    description,
    icon,
    tier: "plugin",
    version: plugin.version,
    protoVersion,
    configFields,
    operations,
    // Another program may do something else under the same description.
    ...(!isSigned && { markedFor: () => plugin.manifest.sha256 }),
    invoke: (call) =>
      run(
        {
          operation: call.operation,
          params: call.params,
          idempotencyKey: call.idempotencyKey,
          ...(call.widget && { widget: call.widget }),
        },
        call,
        operations.get(call.operation)?.inputFields ?? [],
      ),
    ...(can.hasHealth && {
      health: async (call) =>
        toHealth(await ask({ operation: reservedOperations.health, params: {} }, call, [])),
    }),
    ...(can.hasLookup && {
      lookup: async ({ source, query, ...call }) =>
        toLookupItems(
          await ask({ operation: reservedOperations.lookup, params: { source, query } }, call, []),
        ),
    }),
    ...(can.hasGenerators && {
      generate: async (field) => {
        const { signal } = new AbortController();
        const result = await pool.call(plugin, signal, (running) =>
          running.client.execute(
            {
              operation: reservedOperations.generate,
              params: { field },
              requestId: crypto.randomUUID(),
              config: {},
              outbound: { savedHosts: [], allow: [] },
            },
            { ...silentListener(log, key), signal },
          ),
        );
        return String(checkSmall(result));
      },
    }),
  };
}

const executeSpan = {
  name: "wick.connector.v1.Connector/Execute",
  kind: "client",
  attributes: {
    "rpc.system.name": "grpc",
    "rpc.method": "wick.connector.v1.Connector/Execute",
  },
} as const;

/** The name is the same for all three forms of the method. */
function traceExecute<T>(
  tracing: Tracing,
  execute: (trace: TraceContext | null) => Promise<T>,
): Promise<T> {
  return tracing.span(executeSpan, async (span) => {
    try {
      return await execute(span.context);
    } catch (thrown) {
      // The message is not sealed yet, so only the code is told.
      span.fail(thrown instanceof HubError ? thrown.code : "_OTHER");
      throw thrown;
    }
  });
}

function findSecrets(fields: readonly FieldSpec[], values: Record<string, unknown>): string[] {
  return fields
    .filter((field) => field.secret && values[field.key] !== undefined)
    .map((field) => String(values[field.key]));
}

function toListener(call: ConnectorCall, addSecret: (value: string) => void): PluginListener {
  return {
    signal: call.signal,
    memory: call.memory,
    log: call.log,
    progress: call.progress,
    recordHttpStatus: call.recordHttpStatus,
    mask(value, options) {
      addSecret(value);
      call.mask(value, options);
    },
    maskIgnoreCase(value, options) {
      addSecret(value);
      call.maskIgnoreCase(value, options);
    },
  };
}

/** A listener for generators, which run outside of calls and mask nothing. */
function silentListener(log: Log, plugin: string): Omit<PluginListener, "signal"> {
  const write = (level: keyof Log) => (message: string) => log[level]({ plugin }, message);
  const ignore = () => {};
  return {
    memory: { take: () => null, takeArrived: () => true },
    progress: ignore,
    mask: ignore,
    maskIgnoreCase: ignore,
    recordHttpStatus: ignore,
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
  };
}

/** Only operations may return more than 256 KiB. */
function checkSmall(value: unknown): unknown {
  if (value instanceof UnreadBody) throw toTooLargeValue();
  return value;
}

function toHealth(value: unknown): Health {
  const { ok, reason } = { ok: undefined, reason: undefined, ...toObject(value) };
  return { ok: ok === true, ...(typeof reason === "string" && { reason }) };
}

function toLookupItems(value: unknown): LookupItem[] {
  if (!Array.isArray(value)) return [];
  return value.map(toObject).flatMap(({ id, name }: { id?: unknown; name?: unknown }) => {
    if (typeof id !== "string") return [];
    return [{ id, name: typeof name === "string" ? name : id }];
  });
}

function toObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
