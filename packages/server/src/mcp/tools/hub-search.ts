import { z } from "zod";
import { booleanArgument, integerArgument, textArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

/** Bounds the time that one search takes. */
export const queryCharsMax = 1_000;

export const hubSearch = defineMetaTool({
  name: "hub_search",
  title: "Find operations",
  description:
    "Finds operations of the user's connected systems by words in their label, name, description or inputs. The best matches come first. " +
    "Start here when you know what you want to do. " +
    'Several wordings at once, separated by " | ", find more: "close issue | resolve ticket". ' +
    "The best five have a signature (? optional, = default; with exact: false, the schema has more rules), so call them at once, with hub_read or hub_execute; read others with hub_get first. " +
    "total counts all matches: get more with offset, or use more specific words. " +
    "words tells how many operations each word of the query matches: replace words with 0. " +
    "If nothing fits, try other words, those in related first.",
  args: z.strictObject({
    query: textArgument(
      'A few words for the task or the system, such as "create issue" or "production logs".',
      queryCharsMax,
    ),
    limit: integerArgument("How many matches to return, by default 10.", {
      min: 1,
      max: 100,
    }).optional(),
    offset: integerArgument("How many of the best matches to skip.", {
      min: 0,
      max: 1_000_000,
    }).optional(),
    schemas: booleanArgument("input_schema in place of signature.").optional(),
  }),
  example: { query: "create issue" },
  otherNames: { q: "query", search: "query", text: "query", keywords: "query", words: "query" },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async call({ operations }, { caller }, { query, limit, offset, schemas }) {
    const { note, tools, total, ...hints } = await operations.catalogue.search(caller, {
      query,
      limit,
      offset,
      hasSchemas: schemas,
    });
    return { ...(note !== undefined && { note }), tools, total, query, ...hints };
  },
});
