import type { BuildInfo } from "../../lib/build-info.ts";

/** How the hub introduces itself. */
export type ServerDescription = {
  capabilities: { tools: Record<string, never> };
  serverInfo: { name: string; title: string; version: string };
  instructions: string;
};

/** `tools` has no `listChanged`: the tools are fixed, whatever rows come and go. */
export function describeServer(build: BuildInfo): ServerDescription {
  return {
    capabilities: { tools: {} },
    serverInfo: { name: "hub", title: "Hub", version: build.hub_version },
    instructions,
  };
}

const instructions = [
  "Hub reaches the user's connected systems: find an operation with hub_search (prefer it to hub_list, which returns everything), then run it with hub_execute.",
  "When a hit carries no input_schema, read it with hub_get before you execute.",
  "Values that begin with hub_enc_ are valid credentials in sealed form: pass them on and return them exactly as they are.",
].join(" ");
