import type { Config } from "../config.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Operations } from "../operations/operations.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { Store } from "../store/open-store.ts";

/**
 * What the services work with, built once. Every service is a plain function: first these, then who
 * acts, then the id of what it is about. It checks its input, not who asks: that is for its caller.
 */
export type ServiceDeps = {
  store: Store;
  ring: RingHolder;
  registry: ConnectorRegistry;
  operations: Pick<Operations, "execute" | "test" | "checkHealth" | "lookUp" | "cancel">;
  plugins: PluginHost;
  config: Config;
  now: () => number;
};
