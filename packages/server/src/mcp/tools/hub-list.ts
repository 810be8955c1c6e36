import { noArguments } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

export const hubList = defineMetaTool({
  name: "hub_list",
  title: "List all operations",
  description:
    "Lists every operation of every connected system that the user can access, without input schemas. " +
    "The list can be long: prefer hub_search unless you need the full overview. " +
    "Then read an operation with hub_get and run it with hub_execute.",
  args: noArguments,
  annotations: { readOnlyHint: true, openWorldHint: false },
  async call({ operations }, { caller }) {
    const tools = await operations.listTools(caller);
    return { tools, total: tools.length };
  },
});
