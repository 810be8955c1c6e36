import { connectionPlanSchema, madeConnectionSchema } from "@hub/contract/connection-plan.ts";
import { z } from "zod";
import { peopleMax } from "../../../services/rows/access/set-access.ts";
import { defineEndpoint } from "../endpoint.ts";
import { toTestContext } from "./check-tested.ts";

const keysMax = 5_000;
const serversMax = 50;

const sourceSchema = z.strictObject({
  address: z.string().optional().meta({
    description: "Of an OpenAPI document, or of an MCP server.",
  }),
  document: z.string().optional().meta({
    description: "The text of an OpenAPI document, in place of an address.",
  }),
  values: z.record(z.string(), z.unknown()).optional().meta({
    description:
      "Values of the fields of authentication, by key, such as `auth_mode` and `token`. An API's document is read without them. In a plan, an address without a document is asked with them as an MCP server: plan without them until `kind` is `mcp`.",
  }),
});

const outsideFailures = [
  "bad_request",
  "conflict",
  "needs_setup",
  "upstream_error",
  "timeout",
] as const;

export const planConnection = defineEndpoint({
  name: "planConnection",
  needsSpace: false,
  asksOutside: true,
  summary: "Show what an address or a document offers, before there is a row",
  description:
    "Reads an OpenAPI document, or asks an MCP server for its tools. No row is made. Send the `digest` of the answer to make a connection of what was shown.",
  body: sourceSchema,
  answer: connectionPlanSchema,
  failures: outsideFailures,
  async handle(call) {
    const plans = await import("../../../services/rows/plans/plan-connection.ts");
    return await plans.planConnection(call.services, toTestContext(call), call.body);
  },
});

export const makeConnection = defineEndpoint({
  name: "makeConnection",
  asksOutside: true,
  summary: "Make a row of what an address or a document offers",
  description:
    "The address is read again. If its operations are not those of the plan with this `digest`, the answer is 409 `conflict` and nothing is made. Otherwise the row, its operations, approvals and access are stored together.",
  body: sourceSchema.extend({
    digest: z.string(),
    label: z.string(),
    description: z.string().optional(),
    servers: z.array(z.string()).max(serversMax).default([]).meta({
      description:
        "Of an API: the addresses to which calls may go. The first one is `base_url`, the others are `other_servers`.",
    }),
    approve: z
      .union([z.enum(["reads", "all"]), z.array(z.string()).max(keysMax)])
      .default("reads")
      .meta({
        description:
          "The operations to approve: all that only read, all, or those with these keys. Operations with warnings are approved only by their keys.",
      }),
    tags: z.array(z.string()).default([]),
    people: z.array(z.string()).max(peopleMax).default([]).meta({
      description: "Ids of users who get access by a tag of the row's own.",
    }),
  }),
  status: 201,
  answer: madeConnectionSchema,
  failures: [...outsideFailures, "not_found"],
  async handle(call) {
    const plans = await import("../../../services/rows/plans/make-connection.ts");
    return await plans.makeConnection(call.services, call.actor, toTestContext(call), call.body);
  },
});
