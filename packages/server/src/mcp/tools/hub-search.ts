import { z } from "zod";
import { integerArgument, textArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

/** Bounds the time that one search takes. */
const queryCharsMax = 1_000;

export const hubSearch = defineMetaTool({
  name: "hub_search",
  title: "Find operations",
  description:
    "Finds operations of the user's connected systems by words in their label, name or description. The best matches come first. " +
    "Start here when you know what you want to do. " +
    "The best matches include input_schema, so you can run them with hub_execute at once; read the others with hub_get first. " +
    "total is the number of matches: get more of them with offset, or use more specific words. " +
    "If nothing fits, try other words, or list everything with hub_list.",
  args: z.strictObject({
    query: textArgument(
      'A few words for the task or the system, such as "create issue" or "production logs".',
    ).max(queryCharsMax, `must have at most ${queryCharsMax} characters`),
    limit: integerArgument("How many matches to return. The default is 20.", {
      min: 1,
      max: 100,
    }).optional(),
    offset: integerArgument("How many of the best matches to skip.", {
      min: 0,
      max: 1_000_000,
    }).optional(),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async call({ operations }, { caller }, { query, limit, offset }) {
    const { tools, total } = await operations.searchTools(caller, { query, limit, offset });
    return { tools, total, query };
  },
});
