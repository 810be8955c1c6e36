import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { InstalledPlugin } from "./installed/installed-plugin.ts";
import { createPluginConnector } from "./plugin-connector.ts";
import { createPluginProcesses, type ProcessesDeps } from "./process/plugin-processes.ts";
import type { ProcessStatus } from "./process/pool.ts";
import { refusePlugin } from "./verify/refuse-plugin.ts";

/** Runs plugins. It loads gRPC, so it is imported for the first plugin only. */
export type PluginRuntime = {
  /** Throws `plugin_refused` if the connector's description is invalid. */
  createConnector(plugin: InstalledPlugin): RegisteredConnector;
  /** New calls use `next` or are refused; running calls finish, then the old process ends. */
  release(key: string, next: InstalledPlugin | null): void;
  listProcesses(): ProcessStatus[];
  stop(): Promise<void>;
};

export function createPluginRuntime(
  deps: ProcessesDeps & { tracing: Tracing | null },
): PluginRuntime {
  const pool = createPluginProcesses(deps);
  return {
    createConnector(plugin) {
      try {
        return createPluginConnector({ pool, log: deps.log, tracing: deps.tracing }, plugin);
      } catch (cause) {
        throw refusePlugin({
          plugin: plugin.key,
          check: "manifest",
          expected: "a valid description of a connector",
          found: cause instanceof Error ? cause.message.replace(/\.$/, "") : "an unknown fault",
          remedy: "Ask its author for a new build.",
          cause,
        });
      }
    },
    release: (key, next) => pool.drainAndReplace(key, next),
    listProcesses: () => pool.list(),
    stop: () => pool.stopAll(),
  };
}
