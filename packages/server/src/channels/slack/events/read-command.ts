import { z } from "zod";
import type { ChatEnvelope } from "../../chat-adapter.ts";
import { toChannelType } from "./slack-event-fields.ts";

const command = z.looseObject({
  command: z.string().min(1),
  text: z.string().catch(""),
  user_id: z.string(),
  user_name: z.string().nullish(),
  team_id: z.string().nullish(),
  channel_id: z.string(),
  channel_name: z.string().nullish(),
  trigger_id: z.string().min(1),
  response_url: z.string().nullish(),
});

/** Reads a slash command. Slack sends it once; its trigger id stands for it. */
export function readCommand(body: unknown): ChatEnvelope {
  const found = command.parse(body);
  const payload = {
    user: found.user_id,
    user_name: found.user_name ?? null,
    team_id: found.team_id ?? null,
    channel_id: found.channel_id,
    channel_name: found.channel_name ?? null,
    channel_type: toChannelType(found.channel_id),
    is_dm: found.channel_name === "directmessage",
    command: found.command,
    text: found.text,
    ts: null,
    thread_ts: null,
    trigger_id: found.trigger_id,
    response_url: found.response_url ?? null,
  };
  return {
    id: `command:${found.trigger_id}`,
    events: [{ event: "command", payload }],
    from: "person",
    sender: { teamId: payload.team_id, userId: found.user_id, userName: payload.user_name },
    direct: null,
  };
}
