import { z } from "zod";
import type { ChatAccount } from "../chat-adapter.ts";
import type { SlackApi } from "./slack-api.ts";

const answer = z.looseObject({
  team_id: z.string(),
  team: z.string().nullish(),
  user_id: z.string(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  response_metadata: z.looseObject({ scopes: z.array(z.string()).nullish() }).nullish(),
});

/** The bot's account and the scopes of its token; null if Slack does not name them. */
export async function readAccount(
  api: SlackApi,
): Promise<{ account: ChatAccount; scopes: readonly string[] | null }> {
  const parsed = answer.safeParse(await api.call("auth.test"));
  if (!parsed.success) {
    throw new Error("What answers at the address of the API is not Slack.", {
      cause: parsed.error,
    });
  }
  const found = parsed.data;
  const ids: Record<string, string> = found.bot_id ? { bot_id: found.bot_id } : {};
  const account = {
    teamId: found.team_id,
    teamName: found.team ?? null,
    userId: found.user_id,
    userName: found.user ?? null,
    ids,
  };
  return { account, scopes: found.response_metadata?.scopes ?? null };
}
