import { identitySchema } from "@hub/contract/identity.ts";
import { createdTokenSchema, tokenSchema, tokenScopeSchema } from "@hub/contract/token.ts";
import { oneTimePasswordSchema, roleSchema, userSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";
import { byUser, ofUser } from "./path-params.ts";

const identitiesSchema = z.object({ identities: z.array(identitySchema) });
const byToken = z.object({ token: z.uuid().meta({ description: "Id of a token." }) });

export const listUsers = defineEndpoint({
  name: "listUsers",
  summary: "List the users",
  answer: z.object({ users: z.array(userSchema) }),
  handle: async ({ manager }) => ({ users: await manager.users.list() }),
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
  handle: ({ manager, body }) => manager.users.add(body),
});

export const showUser = defineEndpoint({
  name: "showUser",
  summary: "Show a user",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  handle: ({ manager, params }) => manager.users.showById(params.user),
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
  async handle({ manager, params, body }) {
    const { email } = await manager.users.showById(params.user);
    return await manager.users.set(email, body);
  },
});

export const enableUser = defineEndpoint({
  name: "enableUser",
  summary: "Let a pending or disabled user in",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return await manager.users.enable(email);
  },
});

export const disableUser = defineEndpoint({
  name: "disableUser",
  summary: "Keep a user out: sessions and tokens end at once",
  params: byUser,
  answer: userSchema,
  failures: ["not_found", "conflict"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return await manager.users.disable(email);
  },
});

export const unlockUser = defineEndpoint({
  name: "unlockUser",
  summary: "Forget wrong passwords, so that a user need not wait to sign in",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return await manager.users.unlock(email);
  },
});

export const setOneTimePassword = defineEndpoint({
  name: "setOneTimePassword",
  summary: "Give a user a one-time password",
  description:
    "This answer is the only place where it is ever seen; whoever signs in with it has to choose another. The user's sessions end. For browsers; a token is refused.",
  params: byUser,
  answer: oneTimePasswordSchema,
  failures: ["not_found"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return await manager.users.setOneTimePassword(email);
  },
});

export const listUserIdentities = defineEndpoint({
  name: "listUserIdentities",
  summary: "List by which accounts elsewhere a user signs in",
  params: byUser,
  answer: identitiesSchema,
  failures: ["not_found"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return { identities: await manager.identities.list({ user: email }) };
  },
});

export const unlinkIdentity = defineEndpoint({
  name: "unlinkIdentity",
  summary: "Take an account elsewhere away from a user",
  description: "The user's sessions end. Tokens stay.",
  params: byUser.extend({ identity: z.uuid().meta({ description: "Id of an identity." }) }),
  answer: identitiesSchema,
  failures: ["not_found"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return { identities: await manager.identities.unlink(email, { id: params.identity }) };
  },
});

export const listOwnIdentities = defineEndpoint({
  name: "listOwnIdentities",
  summary: "List by which accounts elsewhere one signs in",
  answer: identitiesSchema,
  handle: async ({ manager, caller }) => ({
    identities: await manager.identities.list({ user: caller.email }),
  }),
});

export const listTokens = defineEndpoint({
  name: "listTokens",
  summary: "List everybody's personal access tokens",
  query: ofUser,
  answer: z.object({ tokens: z.array(tokenSchema) }),
  failures: ["not_found"],
  async handle({ manager, query }) {
    const user = await manager.users.findEmail(query.user);
    return { tokens: await manager.tokens.list(user === null ? {} : { user }) };
  },
});

export const revokeToken = defineEndpoint({
  name: "revokeToken",
  summary: "Revoke anybody's personal access token",
  params: byToken,
  answer: tokenSchema,
  failures: ["not_found"],
  handle: ({ manager, params }) => manager.tokens.revoke(params.token),
});

export const listOwnTokens = defineEndpoint({
  name: "listOwnTokens",
  summary: "List one's own personal access tokens",
  answer: z.object({ tokens: z.array(tokenSchema) }),
  handle: async ({ manager, caller }) => ({
    tokens: await manager.tokens.list({ user: caller.email }),
  }),
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
  handle: ({ manager, caller, body: { name, scope, expires_in_days } }) =>
    manager.tokens.create({
      user: caller.email,
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
  handle: ({ manager, caller, params }) => manager.tokens.revokeOwn(caller, params.token),
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
  async handle({ manager, caller, csrfToken }) {
    return { user: await manager.users.showById(caller.userId), csrf_token: csrfToken };
  },
});
