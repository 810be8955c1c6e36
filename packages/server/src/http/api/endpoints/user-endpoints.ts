import { identitySchema } from "@hub/contract/identity.ts";
import { listedRowSchema } from "@hub/contract/listed-row.ts";
import {
  createdTokenSchema,
  rotatedTokenSchema,
  tokenBoundsSchema,
  tokenSchema,
  tokenScopeSchema,
} from "@hub/contract/token.ts";
import { oneTimePasswordSchema, roleSchema, userSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import { listRowsOfUser } from "../../../services/rows/views/list-rows.ts";
import * as newUsers from "../../../services/users/add-user.ts";
import { listChatAccounts } from "../../../services/users/link-chat-accounts.ts";
import { listFactors } from "../../../services/users/manage-factors.ts";
import * as identities from "../../../services/users/manage-identities.ts";
import * as tokens from "../../../services/users/manage-tokens.ts";
import * as users from "../../../services/users/manage-users.ts";
import * as passwords from "../../../services/users/one-time-password.ts";
import { rotateToken } from "../../../services/users/rotate-token.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byUser } from "./path-params.ts";

const identitiesSchema = z.object({ identities: z.array(identitySchema) });
const byToken = z.object({ token: z.uuid().meta({ description: "Id of a token." }) });

export const addUser = defineEndpoint({
  name: "addUser",
  summary: "Add a user",
  description: "Only a signed-in browser can add an admin; tokens are refused.",
  body: z.strictObject({
    email: z.string(),
    name: z.string().optional(),
    role: roleSchema.optional(),
    tags: z.array(z.string()).optional(),
    prepared: z.boolean().optional().meta({
      description:
        "The user signs in by single sign-on: the first sign-in with this verified e-mail links the user, once. Never with the role admin.",
    }),
  }),
  status: 201,
  answer: userSchema,
  failures: ["conflict"],
  handle: ({ services, actor, body }) => newUsers.addUser(services, actor, body),
});

export const showUser = defineEndpoint({
  name: "showUser",
  summary: "Show a user",
  params: byUser,
  answer: userSchema.extend({
    linked: z
      .object({ identities: z.int(), chat_accounts: z.int(), second_factors: z.int() })
      .meta({
        description:
          "How many accounts of single sign-on and of chats, and second factors, there are.",
      }),
  }),
  failures: ["not_found"],
  async handle({ services, params }) {
    const user = await users.showUser(services, params.user);
    const linked = {
      identities: (await identities.listIdentities(services, user.id)).length,
      chat_accounts: (await listChatAccounts(services, user.id)).length,
      second_factors: (await listFactors(services, user.id)).factors.length,
    };
    return { ...user, linked };
  },
});

export const changeUser = defineEndpoint({
  name: "changeUser",
  summary: "Change a user's name, role or tags",
  description:
    "Members that are not sent stay as they are. The last active admin must stay one. Only a signed-in browser can make a user an admin; tokens are refused.",
  params: byUser,
  body: z.strictObject({
    name: z.string().optional(),
    role: roleSchema.optional(),
    tags: z.array(z.string()).optional().meta({ description: "Replaces all tags." }),
    add_tags: z.array(z.string()).optional().meta({
      description: "Keeps the other tags, also those that another admin adds at the same time.",
    }),
    remove_tags: z.array(z.string()).optional(),
  }),
  answer: userSchema,
  failures: ["not_found", "conflict"],
  handle({ services, actor, params, body: { add_tags, remove_tags, ...body } }) {
    const givesAccess = [body.role, body.tags, add_tags, remove_tags].some(
      (given) => given !== undefined,
    );
    if (givesAccess) services.freshSignIn.check(actor, "access");
    return users.setUser(services, actor, params.user, {
      ...body,
      ...(add_tags !== undefined && { addTags: add_tags }),
      ...(remove_tags !== undefined && { removeTags: remove_tags }),
    });
  },
});

export const listUserRows = defineEndpoint({
  name: "listUserRows",
  summary: "List the rows that a user sees",
  description: "A user who is not active sees them once enabled.",
  params: byUser,
  query: pageQuery,
  answer: z.object({
    rows: z.array(listedRowSchema),
    next: nextSchema,
    total: z.int().meta({ description: "Of all pages." }),
  }),
  failures: ["not_found"],
  async handle({ services, caller, params, query }) {
    const { rows, next, total } = await listRowsOfUser(services, caller, params.user, query);
    return { rows, next, total };
  },
});

export const enableUser = defineEndpoint({
  name: "enableUser",
  summary: "Enable a pending or disabled user",
  params: byUser,
  answer: userSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) => users.enableUser(services, actor, params.user),
});

export const disableUser = defineEndpoint({
  name: "disableUser",
  needsSpace: false,
  summary: "Disable a user and end their sessions and tokens",
  params: byUser,
  answer: userSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) => users.disableUser(services, actor, params.user),
});

export const unlockUser = defineEndpoint({
  name: "unlockUser",
  needsSpace: false,
  summary: "Reset the count of wrong passwords, so that a user can sign in at once",
  params: byUser,
  answer: userSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => passwords.unlockUser(services, actor, params.user),
});

export const setOneTimePassword = defineEndpoint({
  name: "setOneTimePassword",
  needsSpace: false,
  summary: "Give a user a one-time password",
  description:
    "The password is shown only in this answer. The user must choose another one at sign-in. The user's sessions end. Only for signed-in browsers; tokens are refused.",
  params: byUser,
  answer: oneTimePasswordSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) =>
    passwords.setOneTimePassword(services, actor, params.user),
});

export const listUserIdentities = defineEndpoint({
  name: "listUserIdentities",
  summary: "List a user's single sign-on identities",
  params: byUser,
  answer: identitiesSchema,
  failures: ["not_found"],
  handle: async ({ services, params }) => ({
    identities: await identities.listIdentities(services, params.user),
  }),
});

export const unlinkIdentity = defineEndpoint({
  name: "unlinkIdentity",
  summary: "Unlink a single sign-on identity from a user",
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
  summary: "List your single sign-on identities",
  answer: identitiesSchema,
  handle: async ({ services, caller }) => ({
    identities: await identities.listIdentities(services, caller.userId),
  }),
});

export const revokeToken = defineEndpoint({
  name: "revokeToken",
  needsSpace: false,
  summary: "Revoke a personal access token of any user",
  params: byToken,
  answer: tokenSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => tokens.revokeToken(services, actor, params.token),
});

export const listOwnTokens = defineEndpoint({
  name: "listOwnTokens",
  summary: "List your personal access tokens",
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
  summary: "Create a personal access token",
  description: "The token is shown only in this answer. A user can have at most 50 active tokens.",
  body: z.strictObject({
    name: z.string(),
    scope: tokenScopeSchema.optional().meta({ description: "The default is `mcp`." }),
    expires_in_days: z.int().optional().meta({
      description:
        "1 to 3650. By default the token does not expire, or with bounds as late as the hub allows.",
    }),
    bounds: tokenBoundsSchema.optional(),
  }),
  status: 201,
  answer: createdTokenSchema,
  failures: ["conflict"],
  handle: ({ services, actor, caller, body: { name, scope, expires_in_days, bounds } }) =>
    tokens.createToken(services, actor, caller.userId, {
      name,
      ...(scope !== undefined && { scope }),
      ...(bounds !== undefined && { bounds }),
      ...(expires_in_days !== undefined && { expiresInDays: expires_in_days }),
    }),
});

export const rotateOwnToken = defineEndpoint({
  name: "rotateOwnToken",
  summary: "Replace one of your personal access tokens",
  description:
    "The new token has the same name, scope and lifetime, and is shown only in this answer. The old one stays valid for `overlap_hours`, at most until its own expiry.",
  params: byToken,
  body: z.strictObject({
    overlap_hours: z.int().optional().meta({
      description: "0 to 720. With 0 the old token ends at once. The default is 24.",
    }),
  }),
  status: 201,
  answer: rotatedTokenSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, caller, params, body: { overlap_hours } }) =>
    rotateToken(services, actor, params.token, {
      of: caller.userId,
      ...(overlap_hours !== undefined && { overlapHours: overlap_hours }),
    }),
});

export const revokeOwnToken = defineEndpoint({
  name: "revokeOwnToken",
  needsSpace: false,
  summary: "Revoke one of your personal access tokens",
  params: byToken,
  answer: tokenSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params }) =>
    tokens.revokeToken(services, actor, params.token, { of: caller.userId }),
});

export const showMe = defineEndpoint({
  name: "showMe",
  summary: "Show the current user",
  answer: z.object({
    user: userSchema,
    csrf_token: z.string().nullable().meta({
      description:
        "Signed-in pages send it as X-CSRF-Token with each change; null if the request used a personal access token.",
    }),
    mcp_url: z.url().meta({ description: "The address for MCP clients." }),
  }),
  async handle({ services, caller, csrfToken, baseUrl }) {
    const user = await users.showUser(services, caller.userId);
    return { user, csrf_token: csrfToken, mcp_url: `${baseUrl}/mcp` };
  },
});
