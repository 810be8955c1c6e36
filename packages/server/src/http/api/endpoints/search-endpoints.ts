import { foundSchema } from "@hub/contract/search-result.ts";
import { z } from "zod";
import * as search from "../../../services/search-hub.ts";
import { defineEndpoint } from "../endpoint.ts";

export const searchHub = defineEndpoint({
  name: "searchHub",
  summary: "Find connectors, rows, operations, workflows, users and tags by words",
  description:
    "At most eight of each kind, and the run of a workflow by its id. Everyone finds what they see; only admins find users and tags.",
  query: z.strictObject({
    q: z.string().meta({ description: "A few words; 100 characters at most." }),
  }),
  answer: foundSchema,
  handle: ({ services, caller, query }) => search.searchHub(services, caller, query),
});
