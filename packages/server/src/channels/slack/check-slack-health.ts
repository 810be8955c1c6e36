import { type Health, OutboundError } from "@hub/connector";
import { readAccount } from "./read-account.ts";
import type { SlackApi } from "./slack-api.ts";
import type { SlackSettings } from "./slack-config.ts";
import { SlackFailure, toAdvice } from "./slack-failure.ts";

/** What the events, the operations and the look-ups need. The first is indispensable. */
export const neededScopes: readonly (readonly [string, string])[] = [
  ["chat:write", "to send messages"],
  ["app_mentions:read", "for app_mention"],
  ["channels:history", "for messages of public channels"],
  ["groups:history", "for messages of private channels"],
  ["im:history", "for direct messages"],
  ["mpim:history", "for group messages"],
  ["commands", "for slash commands and shortcuts"],
  ["reactions:write", "for add_reaction"],
  ["im:write", "for open_dm"],
  ["mpim:write", "for open_dm with several users"],
  ["channels:read", "for slack.channels"],
  ["groups:read", "for slack.channels"],
  ["users:read", "for slack.users"],
  ["usergroups:read", "for slack.usergroups"],
];

/** Whether the bot token works. Scopes that the app lacks are named, with what they are for. */
export async function checkHealth(api: SlackApi, settings: SlackSettings): Promise<Health> {
  const missing = describeMissing(settings);
  if (missing !== null) return { ok: false, reason: missing };
  try {
    const { account, scopes: held } = await readAccount(api);
    const who = `@${account.userName ?? account.userId}`;
    const where = account.teamName ?? account.teamId;
    const lacking = held === null ? [] : neededScopes.filter(([scope]) => !held.includes(scope));
    const list = lacking.map(([scope, use]) => `${scope} (${use})`).join(", ");
    const note = lacking.length === 0 ? "" : ` The app lacks scopes: ${list}.`;
    const ok = !lacking.some(([scope]) => scope === "chat:write");
    return { ok, reason: `${who} of the workspace ${where}.${note}` };
  } catch (thrown) {
    if (thrown instanceof OutboundError) return { ok: false, reason: thrown.message };
    if (!(thrown instanceof SlackFailure)) throw thrown;
    return { ok: false, reason: `${thrown.message}. ${toAdvice(thrown.details)}`.trim() };
  }
}

/** What the row lacks for its mode, or has in the wrong field. Null if it is complete. */
export function describeMissing({
  mode,
  botToken,
  appToken,
  signingSecret,
}: SlackSettings): string | null {
  if (botToken === "") return "Set the bot token.";
  if (botToken.startsWith("xapp-")) {
    return "The value of the bot token is an app token. Set the Bot User OAuth Token of the app there.";
  }
  if (mode === "socket" && appToken === "") return "Set the app token, which socket mode needs.";
  if (mode === "socket" && appToken.startsWith("xoxb-")) {
    return "The value of the app token is a bot token. Set an App-Level Token of the app there.";
  }
  if (mode === "http" && signingSecret === "")
    return "Set the signing secret, which http mode needs.";
  return null;
}
