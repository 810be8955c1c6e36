import {
  chatAccountSchema,
  chatLinkSchema,
  createdChatLinkSchema,
} from "@hub/contract/chat-account.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import * as chats from "../../../services/users/link-chat-accounts.ts";
import type { ApiRequest } from "../api-request.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byUser } from "./path-params.ts";

const byAccount = z.object({ account: z.uuid().meta({ description: "Id of a chat account." }) });
const byLink = z.object({ link: z.uuid().meta({ description: "Id of a link." }) });
const accountsSchema = z.object({ accounts: z.array(chatAccountSchema) });
const endedSchema = z.object({ id: z.uuid() });

export const listOwnChatAccounts = defineEndpoint({
  name: "listOwnChatAccounts",
  summary: "List your linked chat accounts",
  answer: accountsSchema.extend({
    link: chatLinkSchema.nullable().meta({
      description: "The link that was begun in this browser and is not finished.",
    }),
  }),
  async handle({ services, caller, sessionId }) {
    const browser = toBrowser(caller, sessionId);
    const accounts = await chats.listChatAccounts(services, caller.userId);
    return { accounts, link: await chats.showChatLink(services, browser) };
  },
});

export const beginChatLink = defineEndpoint({
  name: "beginChatLink",
  summary: "Make a code that links a chat account to you",
  description:
    "Send the code to the bot of a channel as a direct message and answer its question with yes. Then confirm the link in the same browser. The code is shown only in this answer. It works once and for 10 minutes. A new code replaces the former one.",
  status: 201,
  answer: createdChatLinkSchema,
  failures: ["conflict"],
  handle: ({ services, caller, sessionId }) =>
    chats.beginChatLink(services, toBrowser(caller, sessionId)),
});

export const confirmChatLink = defineEndpoint({
  name: "confirmChatLink",
  summary: "Confirm that the chat account which sent your code is yours",
  description: "Only in the browser that made the code, after the chat account has answered yes.",
  params: byLink,
  answer: chatAccountSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, caller, sessionId, params }) =>
    chats.confirmChatLink(services, actor, params.link, toBrowser(caller, sessionId)),
});

export const cancelChatLink = defineEndpoint({
  name: "cancelChatLink",
  summary: "Withdraw your code",
  params: byLink,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ services, caller, sessionId, params }) =>
    chats.cancelChatLink(services, params.link, toBrowser(caller, sessionId)),
});

export const unlinkOwnChatAccount = defineEndpoint({
  name: "unlinkOwnChatAccount",
  summary: "Unlink one of your chat accounts",
  params: byAccount,
  answer: chatAccountSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params }) =>
    chats.unlinkChatAccount(services, actor, caller.userId, params.account),
});

export const listUserChatAccounts = defineEndpoint({
  name: "listUserChatAccounts",
  summary: "List a user's linked chat accounts",
  params: byUser,
  answer: accountsSchema,
  failures: ["not_found"],
  handle: async ({ services, params }) => ({
    accounts: await chats.listChatAccounts(services, params.user),
  }),
});

export const unlinkUserChatAccount = defineEndpoint({
  name: "unlinkUserChatAccount",
  summary: "Unlink a chat account from a user",
  params: byUser.extend(byAccount.shape),
  answer: chatAccountSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params: { user, account } }) =>
    chats.unlinkChatAccount(services, actor, user, account),
});

/** The guard refuses tokens before. */
function toBrowser(
  { userId }: ApiRequest["caller"],
  sessionId: string | null,
): chats.LinkingBrowser {
  if (sessionId === null) throw new HubError("forbidden", "Sign in with a browser.");
  return { userId, sessionId };
}
