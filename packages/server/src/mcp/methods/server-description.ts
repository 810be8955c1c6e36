import type { BuildInfo } from "../../lib/build-info.ts";

/** The hub's answer to `initialize` and `server/discover`. */
export type ServerDescription = {
  capabilities: { tools: Record<string, never> };
  serverInfo: { name: string; title: string; version: string };
  instructions: string;
};

/** `tools` has no `listChanged`, because rows never change the tool list. */
export function describeServer(build: BuildInfo): ServerDescription {
  return {
    capabilities: { tools: {} },
    serverInfo: { name: "hub", title: "Hub", version: build.hub_version },
    instructions,
  };
}

const instructions = [
  "Hub gives access to the user's connected systems. Find an operation with hub_search (prefer it to hub_list, which returns everything), then run it with hub_execute.",
  "If a match has no input_schema, read it with hub_get before you run it.",
  "Values that begin with hub_enc_ are valid credentials in encrypted form: pass them on and return them exactly as they are.",
].join(" ");
