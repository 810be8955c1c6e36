import { z } from "zod";
import { integerArgument, textArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

/** Longer is no query: its words would only cost time. */
const queryCharsMax = 1_000;

export const hubSearch = defineMetaTool({
  name: "hub_search",
  title: "Find operations",
  description:
    "Finds operations of the user's connected systems by words in their label, name or description; best matches first. " +
    "Start here when you know what you want to do. " +
    "The best matches carry input_schema, so you can run them with hub_execute at once; read any other with hub_get first. " +
    "total says how many match: read on with offset, or use more exact words. " +
    "If nothing fits, try other words, or see everything with hub_list.",
  args: z.strictObject({
    query: textArgument(
      'A few words for the task or the system, such as "create issue" or "production logs".',
    ).max(queryCharsMax, `must have at most ${queryCharsMax} characters`),
    limit: integerArgument("How many matches to return, 20 when left out.", {
      min: 1,
      max: 100,
    }).optional(),
    offset: integerArgument("How many of the best matches to skip, to read on from there.", {
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
