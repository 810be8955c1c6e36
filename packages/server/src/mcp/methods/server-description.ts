import type { BuildInfo } from "../../lib/process/build-info.ts";
import type { Capability } from "../capability.ts";
import type { ToolSet } from "../tool-set.ts";

/** The hub's answer to `initialize` and `server/discover`. */
export type ServerDescription = {
  capabilities: Record<string, object>;
  serverInfo: { name: string; title: string; version: string };
  instructions: string;
};

export function describeServer(
  build: BuildInfo,
  capabilities: readonly Capability[],
  { instructions }: Pick<ToolSet, "instructions">,
): ServerDescription {
  return {
    capabilities: Object.assign({}, ...capabilities.map(({ advertised }) => advertised)),
    serverInfo: { name: "hub", title: "Hub", version: build.hub_version },
    instructions,
  };
}
