import { z } from "zod";
import { hostList, type Settings, wholeNumber } from "./setting.ts";

/** Who may write workflows, and what these may call. */
export const workflowSettings = {
  workflowAuthors: {
    schema: z.enum(["users", "admins"]).default("users"),
    description: "who may write workflows: every user (users) or only admins (admins)",
    expects: "users or admins",
    fallback: "users",
  },
  workflowMcp: {
    schema: z.enum(["draft", "publish"]).default("draft"),
    description:
      "what models may do with their users' workflows: write and try drafts (draft), or also publish and enable (publish)",
    expects: "draft or publish",
    fallback: "draft",
  },
  workflowHttp: {
    schema: z.enum(["users", "admins"]).default("admins"),
    description:
      "whose workflows may have http nodes: every user's (users) or only admins' (admins)",
    expects: "users or admins",
    fallback: "admins",
  },
  workflowOutboundAllow: hostList(
    "private hosts and networks that http nodes may call, comma-separated",
  ),
  workflowCallsAtOnce: {
    schema: wholeNumber(1, 1_000_000).default(32),
    description: "maximum concurrent calls of one user's workflows; further calls wait",
    expects: "a whole number from 1 to 1000000",
    fallback: "32",
  },
} as const satisfies Settings;
