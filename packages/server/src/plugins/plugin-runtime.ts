import { fromModuleManifest } from "@hub/connector/plugin";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { HubError } from "../errors.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";

/** What runs plugins. Its modules bring gRPC, so it is imported when the first plugin is met. */
export type PluginRuntime = {
  createConnector(plugin: InstalledPlugin): RegisteredConnector;
  /** Lets calls in flight finish, then ends the processes of a plugin. */
  release(key: string): void;
  stop(): Promise<void>;
};

export function createPluginRuntime(): PluginRuntime {
  return {
    createConnector(plugin) {
      const spec = fromModuleManifest(plugin.manifest.module);
      return {
        key: spec.key,
        name: spec.name,
        description: spec.description,
        icon: spec.icon,
        tier: "plugin",
        configFields: spec.configFields,
        operations: spec.operations,
        invoke: async () => {
          throw new HubError("plugin_unavailable", "The process side is not wired yet.");
        },
      };
    },
    release() {},
    async stop() {},
  };
}
