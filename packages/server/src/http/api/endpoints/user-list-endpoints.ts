import { tokenSchema } from "@hub/contract/token.ts";
import { roleSchema, userSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import * as tokens from "../../../services/users/manage-tokens.ts";
import * as users from "../../../services/users/manage-users.ts";
import { previewTags } from "../../../services/users/preview-tags.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byUser, ofUser } from "./path-params.ts";

export const listUsers = defineEndpoint({
  name: "listUsers",
  summary: "List the users",
  query: pageQuery.extend({
    q: z.string().max(200).optional().meta({
      description: "Text in the e-mail or the name, in any case.",
    }),
    role: roleSchema.optional(),
    status: userSchema.shape.status.optional(),
    tag: z.string().optional().meta({ description: "Only users with this tag." }),
    without_tag: z.string().optional().meta({ description: "Only users without this tag." }),
  }),
  answer: z.object({
    users: z.array(userSchema),
    next: nextSchema,
    total: z.int().meta({ description: "How many users match, on all pages." }),
    by_status: z
      .object({ active: z.int(), pending: z.int(), disabled: z.int() })
      .meta({ description: "How many match in each state, whatever `status` asks for." }),
  }),
  async handle({ services, query: { q, role, status, tag, without_tag: withoutTag, ...page } }) {
    const filter = { text: q === "" ? undefined : q, role, tag, withoutTag };
    const { items, next } = await users.listUsers(services, page, { ...filter, status });
    const counts = await users.countUsers(services, filter);
    const total = status === undefined ? sum(Object.values(counts)) : counts[status];
    return { users: items, next, total, by_status: counts };
  },
});

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

const sampledRowsSchema = z.object({
  total: z.int(),
  rows: z
    .array(z.object({ id: z.uuid(), label: z.string() }))
    .meta({ description: "The first of them, by label." }),
});

export const previewUserTags = defineEndpoint({
  name: "previewUserTags",
  summary: "Show which rows a user would gain and lose with other tags",
  description: "Changes nothing. Admins see every row, so that tags change nothing for them.",
  params: byUser,
  query: z.strictObject({
    tags: z
      .string()
      .max(6500)
      .default("")
      .meta({ description: "The tags that the user would have, with commas in between." }),
  }),
  answer: z.object({ gained: sampledRowsSchema, lost: sampledRowsSchema }),
  failures: ["not_found"],
  handle: ({ services, params, query }) => previewTags(services, params.user, query.tags),
});

export const listTokens = defineEndpoint({
  name: "listTokens",
  summary: "List the personal access tokens of all users",
  description: "The oldest first, with those that are expired or revoked.",
  query: pageQuery.extend({
    ...ofUser.shape,
    q: z.string().max(200).optional().meta({
      description: "Text in the name, the last four characters or the user's e-mail, in any case.",
    }),
    state: z.enum(["active", "expired", "revoked"]).optional(),
  }),
  answer: z.object({
    tokens: z.array(tokenSchema),
    next: nextSchema,
    total: z.int().meta({ description: "How many tokens match, on all pages." }),
  }),
  failures: ["not_found"],
  async handle({ services, query: { user, q, state, ...page } }) {
    const filter = {
      userId: user,
      text: q === "" ? undefined : q,
      inState: state && { state, at: services.now() },
    };
    const { items, next } = await tokens.listTokens(services, { ...page, ...filter });
    return { tokens: items, next, total: await tokens.countTokens(services, filter) };
  },
});
