import type { Capability } from "../capability.ts";
import { createToolsCapability } from "./tools.ts";

type CapabilityDeps = Parameters<typeof createToolsCapability>[0];

/** What the hub offers of MCP, beside the lifecycle. Each capability is a file of this folder and a line here. */
export function createCapabilities(deps: CapabilityDeps): readonly Capability[] {
  return [createToolsCapability(deps)];
}
