import { defineMetaTool } from "./define-meta-tool.ts";

export const hubSearch = defineMetaTool({
  name: "hub_search",
  title: "Find operations",
  description:
    "Finds operations of the user's connected systems by words in their label, name or description; best matches first. " +
    "Start here when you know what you want to do. " +
    "The best matches carry input_schema, so you can run them with hub_execute at once; read any other with hub_get first. " +
    "If nothing fits, try other words, or see everything with hub_list.",
  inputSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description:
          'A few words for the task or the system, such as "create issue" or "production logs".',
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async call({ operations }, { caller }, { query }) {
    const { tools, total } = await operations.searchTools(caller, query);
    return { tools, total, query };
  },
});
