import { identitySchema } from "@hub/contract/identity.ts";
import { createdTokenSchema, tokenSchema, tokenScopeSchema } from "@hub/contract/token.ts";
import { oneTimePasswordSchema, roleSchema, userSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import * as identities from "../../../services/users/identities.ts";
import * as passwords from "../../../services/users/one-time-password.ts";
import * as tokens from "../../../services/users/tokens.ts";
import * as users from "../../../services/users/users.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byUser, ofUser } from "./path-params.ts";

const identitiesSchema = z.object({ identities: z.array(identitySchema) });
const byToken = z.object({ token: z.uuid().meta({ description: "Id of a token." }) });

export const listUsers = defineEndpoint({
  name: "listUsers",
  summary: "List the users",
  query: pageQuery,
  answer: z.object({ users: z.array(userSchema), next: nextSchema }),
  async handle({ services, query }) {
    const { items, next } = await users.listUsers(services, query);
    return { users: items, next };
  },
});

export const addUser = defineEndpoint({
  name: "addUser",
  summary: "Add a user",
  description: "Only a browser makes an admin; a token is refused.",
  body: z.strictObject({
    email: z.string(),
    name: z.string().optional(),
    role: roleSchema.optional(),
    tags: z.array(z.string()).optional(),
  }),
  status: 201,
  answer: userSchema,
  failures: ["conflict"],
  handle: ({ services, actor, body }) => users.addUser(services, actor, body),
});

export const showUser = defineEndpoint({
  name: "showUser",
  summary: "Show a user",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => users.showUser(services, params.user),
});

export const changeUser = defineEndpoint({
  name: "changeUser",
  summary: "Change a user's name, role or tags",
  description:
    "What is not given stays. The last active admin keeps that role. Only a browser gives it; a token is refused.",
  params: byUser,
  body: z.strictObject({
    name: z.string().optional(),
    role: roleSchema.optional(),
    tags: z.array(z.string()).optional().meta({ description: "Replaces all tags." }),
  }),
  answer: userSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) => users.setUser(services, actor, params.user, body),
});

export const enableUser = defineEndpoint({
  name: "enableUser",
  summary: "Let a pending or disabled user in",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => users.enableUser(services, actor, params.user),
});

export const disableUser = defineEndpoint({
  name: "disableUser",
  summary: "Keep a user out: sessions and tokens end at once",
  params: byUser,
  answer: userSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) => users.disableUser(services, actor, params.user),
});

export const unlockUser = defineEndpoint({
  name: "unlockUser",
  summary: "Forget wrong passwords, so that a user need not wait to sign in",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => passwords.unlockUser(services, actor, params.user),
});

export const setOneTimePassword = defineEndpoint({
  name: "setOneTimePassword",
  summary: "Give a user a one-time password",
  description:
    "This answer is the only place where it is ever seen; whoever signs in with it has to choose another. The user's sessions end. For browsers; a token is refused.",
  params: byUser,
  answer: oneTimePasswordSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    passwords.setOneTimePassword(services, actor, params.user),
});

export const listUserIdentities = defineEndpoint({
  name: "listUserIdentities",
  summary: "List by which accounts elsewhere a user signs in",
  params: byUser,
  answer: identitiesSchema,
  failures: ["not_found"],
  handle: async ({ services, params }) => ({
    identities: await identities.listIdentities(services, params.user),
  }),
});

export const unlinkIdentity = defineEndpoint({
  name: "unlinkIdentity",
  summary: "Take an account elsewhere away from a user",
  description: "The user's sessions end. Tokens stay.",
  params: byUser.extend({ identity: z.uuid().meta({ description: "Id of an identity." }) }),
  answer: identitiesSchema,
  failures: ["not_found"],
  handle: async ({ services, actor, params: { user, identity } }) => ({
    identities: await identities.unlinkIdentities(services, actor, user, { identity }),
  }),
});

export const listOwnIdentities = defineEndpoint({
  name: "listOwnIdentities",
  summary: "List by which accounts elsewhere one signs in",
  answer: identitiesSchema,
  handle: async ({ services, caller }) => ({
    identities: await identities.listIdentities(services, caller.userId),
  }),
});

export const listTokens = defineEndpoint({
  name: "listTokens",
  summary: "List everybody's personal access tokens",
  query: pageQuery.extend(ofUser.shape),
  answer: z.object({ tokens: z.array(tokenSchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, query: { user, ...page } }) {
    const { items, next } = await tokens.listTokens(services, { userId: user, ...page });
    return { tokens: items, next };
  },
});

export const revokeToken = defineEndpoint({
  name: "revokeToken",
  summary: "Revoke anybody's personal access token",
  params: byToken,
  answer: tokenSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => tokens.revokeToken(services, actor, params.token),
});

export const listOwnTokens = defineEndpoint({
  name: "listOwnTokens",
  summary: "List one's own personal access tokens",
  query: pageQuery,
  answer: z.object({ tokens: z.array(tokenSchema), next: nextSchema }),
  async handle({ services, caller, query }) {
    const own = { userId: caller.userId, ...query };
    const { items, next } = await tokens.listTokens(services, own);
    return { tokens: items, next };
  },
});

export const createOwnToken = defineEndpoint({
  name: "createOwnToken",
  summary: "Make a personal access token of one's own",
  description:
    "This answer is the only place where the token itself is ever seen. A user has at most 50 that work.",
  body: z.strictObject({
    name: z.string(),
    scope: tokenScopeSchema.optional().meta({ description: "Without it, `mcp`." }),
    expires_in_days: z.int().optional().meta({ description: "1 to 3650; without it, never." }),
  }),
  status: 201,
  answer: createdTokenSchema,
  failures: ["conflict"],
  handle: ({ services, actor, caller, body: { name, scope, expires_in_days } }) =>
    tokens.createToken(services, actor, caller.userId, {
      name,
      ...(scope !== undefined && { scope }),
      ...(expires_in_days !== undefined && { expiresInDays: expires_in_days }),
    }),
});

export const revokeOwnToken = defineEndpoint({
  name: "revokeOwnToken",
  summary: "Revoke a personal access token of one's own",
  params: byToken,
  answer: tokenSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params }) =>
    tokens.revokeToken(services, actor, params.token, { of: caller.userId }),
});

export const showMe = defineEndpoint({
  name: "showMe",
  summary: "Show who is asking",
  answer: z.object({
    user: userSchema,
    csrf_token: z.string().nullable().meta({
      description:
        "What a signed-in page sends as X-CSRF-Token with each change; null where a token asks.",
    }),
  }),
  async handle({ services, caller, csrfToken }) {
    return { user: await users.showUser(services, caller.userId), csrf_token: csrfToken };
  },
});
