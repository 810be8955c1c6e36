import { accessPreviewSchema, rowAccessSchema } from "@hub/contract/row-access.ts";
import { z } from "zod";
import { peopleMax, setAccess } from "../../../services/rows/access/set-access.ts";
import { previewAccess, showAccess } from "../../../services/rows/access/show-access.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byRow } from "./path-params.ts";

export const showRowAccess = defineEndpoint({
  name: "showRowAccess",
  summary: "Show who has access to a row",
  description: "Its tags, and the people who have the tag of the row's own.",
  params: byRow,
  answer: rowAccessSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => showAccess(services, params.row),
});

export const previewRowAccess = defineEndpoint({
  name: "previewRowAccess",
  summary: "Show what a change of a row's access would open",
  description:
    "What the tag of the row's own opens to a person beside the row, and how many active users have each of the given tags. Nothing is changed.",
  params: byRow,
  query: z.strictObject({
    tags: z.string().default("").meta({ description: "Names of tags, separated by commas." }),
  }),
  answer: accessPreviewSchema,
  failures: ["bad_request", "not_found"],
  handle: ({ services, params, query }) =>
    previewAccess(services, params.row, { tags: query.tags.split(",").filter(Boolean) }),
});

export const setRowAccess = defineEndpoint({
  name: "setRowAccess",
  summary: "Change who has access to a row",
  description:
    "A person gets access by a tag of the row's own, which the hub makes and names. The row and the users are changed together.",
  params: byRow,
  body: z.strictObject({
    version: z.int().meta({
      description: "The version that was read. If the row has changed since: 409 `conflict`.",
    }),
    tags: z.array(z.string()).optional().meta({
      description: "Replaces the tags of the row, other than its own one.",
    }),
    give: z.array(z.string()).max(peopleMax).optional().meta({
      description: "Ids of users who get access.",
    }),
    take: z.array(z.string()).max(peopleMax).optional().meta({
      description: "Ids of users who lose the access that they were given as persons.",
    }),
  }),
  answer: rowAccessSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) => setAccess(services, actor, params.row, body),
});
