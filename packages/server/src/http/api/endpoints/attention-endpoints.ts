import { attentionItemSchema } from "@hub/contract/attention.ts";
import { overviewSchema, setupProgressSchema } from "@hub/contract/overview.ts";
import { z } from "zod";
import * as attention from "../../../services/attention/list-attention.ts";
import * as overview from "../../../services/overview/show-overview.ts";
import * as setup from "../../../services/overview/show-setup.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";

export const listAttention = defineEndpoint({
  name: "listAttention",
  summary: "List what needs a person, the most harmful first",
  description:
    "For users: their approvals, workflows and tokens, and the rows and channels that they see. For admins also the hub, its plugins, users and sign-ins, and all rows, channels and workflows. Of approvals and of workflows the newest 200 are named; one more item leads to the others.",
  query: pageQuery,
  answer: z.object({
    items: z.array(attentionItemSchema),
    next: nextSchema,
    total: z.int().meta({ description: "The number of items on all pages." }),
  }),
  handle: ({ services, caller, query }) => attention.listAttention(services, caller, query),
});

export const showOverview = defineEndpoint({
  name: "showOverview",
  summary: "Show the calls of the last day or week, the rows that stand out, and what waits",
  description: "For admins of the whole hub, for others of themselves.",
  query: z.strictObject({ span: z.enum(["day", "week"]).default("day") }),
  answer: overviewSchema,
  handle: ({ services, caller, query }) => overview.showOverview(services, caller, query),
});

export const showSetup = defineEndpoint({
  name: "showSetup",
  summary: "Show how far the first call of a client is",
  answer: setupProgressSchema,
  handle: ({ services, caller }) => setup.showSetup(services, caller),
});
