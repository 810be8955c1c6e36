import type { BuildInfo } from "../../lib/process/build-info.ts";
import type { Capability } from "../capability.ts";

/** The part of the hub's answer to `initialize` and `server/discover` that all callers get. */
export type ServerDescription = {
  capabilities: Record<string, object>;
  /** By their names. */
  extensions: Record<string, object>;
  serverInfo: { name: string; title: string; version: string };
};

export function describeServer(
  build: BuildInfo,
  capabilities: readonly Capability[],
): ServerDescription {
  return {
    capabilities: Object.assign({}, ...capabilities.map(({ advertised }) => advertised)),
    extensions: Object.assign({}, ...capabilities.map(({ extensions }) => extensions)),
    serverInfo: { name: "hub", title: "Hub", version: build.hub_version },
  };
}
