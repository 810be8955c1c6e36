import { noArguments } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

export const hubInfo = defineMetaTool({
  name: "hub_info",
  title: "About this hub",
  description:
    "Returns the version, build time and commit of the hub itself. Use it only when the user asks about the hub or reports a problem with it.",
  args: noArguments,
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: async ({ buildInfo }) => buildInfo,
});
