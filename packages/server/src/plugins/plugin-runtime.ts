import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";
import { createPluginConnector } from "./plugin-connector.ts";
import { createPluginProcesses, type ProcessesDeps } from "./process/plugin-processes.ts";
import type { ProcessStatus } from "./process/pool.ts";
import { refusePlugin } from "./verify/refuse-plugin.ts";

/** What runs plugins. Its modules bring gRPC, so it is imported when the first plugin is met. */
export type PluginRuntime = {
  /** Throws `plugin_refused` when the connector's description cannot be read. */
  createConnector(plugin: InstalledPlugin): RegisteredConnector;
  /** New calls go to `next`, or nowhere; calls in flight finish, then the old process ends. */
  release(key: string, next: InstalledPlugin | null): void;
  listProcesses(): ProcessStatus[];
  stop(): Promise<void>;
};

export function createPluginRuntime(deps: ProcessesDeps): PluginRuntime {
  const pool = createPluginProcesses(deps);
  return {
    createConnector(plugin) {
      try {
        return createPluginConnector({ pool, log: deps.log }, plugin);
      } catch (cause) {
        throw refusePlugin({
          plugin: plugin.key,
          check: "manifest",
          expected: "a description of a connector",
          found: cause instanceof Error ? cause.message.replace(/\.$/, "") : "something else",
          remedy: "Its author must build it again.",
          cause,
        });
      }
    },
    release: (key, next) => pool.drainAndReplace(key, next),
    listProcesses: () => pool.list(),
    stop: () => pool.stopAll(),
  };
}
