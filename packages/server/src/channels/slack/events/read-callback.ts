import { z } from "zod";
import { firstItems } from "../../../lib/json/first-items.ts";
import { questionName } from "../../approvals/approval-buttons.ts";
import type { ChatAccount, ChatEnvelope, ChatEvent } from "../../chat-adapter.ts";
import { readText } from "../format-text.ts";

const optionalText = z.string().nullish();

/** An `event_callback` of the Events API. What the hub does not read stays out. */
const callback = z.object({
  event_id: z.string().min(1),
  team_id: optionalText,
  authorizations: firstItems(z.object({ user_id: z.string() }), 1).nullish(),
  // Read again by its type.
  event: z.looseObject({ type: z.string() }),
});

const file = z
  .object({
    id: z.string(),
    name: z.string().catch(""),
    mimetype: z.string().catch(""),
    size: z.number().catch(0),
  })
  .transform(({ id, name, mimetype, size }) => ({ id, name, mimetype, size }));

/** Slack shares at most ten files with a message. */
const filesMax = 100;

const message = z.object({
  subtype: optionalText,
  user: optionalText,
  bot_id: optionalText,
  text: z.string().catch(""),
  ts: z.string(),
  thread_ts: optionalText,
  channel: optionalText,
  channel_type: optionalText,
  team: optionalText,
  user_team: optionalText,
  source_team: optionalText,
  edited: z.unknown().optional(),
  files: firstItems(file, filesMax).catch([]).optional(),
  blocks: firstItems(z.object({ block_id: optionalText }), 1)
    .nullish()
    .catch(null),
});
type Message = z.output<typeof message>;

const changed = z.object({
  channel: z.string(),
  channel_type: optionalText,
  message,
  previous_message: z.object({ text: z.string().catch("") }).nullish(),
});

const homeOpened = z.object({
  user: z.string(),
  channel: optionalText,
  tab: z.string().catch("home"),
  view: z.object({ id: z.string() }).nullish(),
});

/** Subtypes that are messages of people and apps. All others report something, such as a join. */
const messageSubtypes = new Set([
  "",
  "bot_message",
  "file_share",
  "me_message",
  "thread_broadcast",
]);

/** Reads an envelope of the Events API. */
export function readCallback(ctx: ReadContext, body: unknown): ChatEnvelope {
  const { event_id: id, team_id: team, authorizations, event } = callback.parse(body);
  const known = { id, teamId: team ?? null, botUserId: authorizations?.[0]?.user_id ?? null };
  switch (event.type) {
    case "message":
      return readMessage(ctx, known, event);
    case "app_mention":
      return readMention(ctx, known, event);
    case "app_home_opened":
      return readHome(known, event);
    default:
      return toEmpty(id);
  }
}

type Known = { id: string; teamId: string | null; botUserId: string | null };

const toEmpty = (id: string): ChatEnvelope => ({
  id,
  events: [],
  from: "person",
  sender: null,
  direct: null,
});

function readMessage(ctx: ReadContext, known: Known, event: unknown): ChatEnvelope {
  const { subtype } = z.object({ subtype: optionalText }).parse(event);
  if (subtype === "message_changed") return readChange(ctx, known, event);
  if (!messageSubtypes.has(subtype ?? "")) return toEmpty(known.id);
  const found = message.parse(event);
  return toEnvelope(ctx, known, found, { isEdited: false });
}

/** Slack also changes messages itself, such as when it adds the preview of a link. */
function readChange(ctx: ReadContext, known: Known, event: unknown): ChatEnvelope {
  const { channel, channel_type, message: next, previous_message: before } = changed.parse(event);
  const isEdit = next.edited != null && next.text !== before?.text;
  const isMessage = messageSubtypes.has(next.subtype ?? "");
  if (!ctx.includeEdits || !isEdit || !isMessage) return toEmpty(known.id);
  return toEnvelope(ctx, known, { ...next, channel, channel_type }, { isEdited: true });
}

function toEnvelope(
  ctx: ReadContext,
  known: Known,
  found: Message,
  { isEdited }: { isEdited: boolean },
): ChatEnvelope {
  const payload = toPayload(known, found, isEdited);
  const events: ChatEvent[] = [{ event: "message", payload }];
  if (!payload.is_reply && !isEdited) events.push({ event: "thread_started", payload });
  const { from, sender } = findSender(ctx, known, found);
  // What approvers are asked is for them, and not for the workflows of others.
  if (from === "self" && found.blocks?.[0]?.block_id === questionName) return toEmpty(known.id);
  const isDirect = payload.is_dm && from === "person" && !isEdited;
  const direct = isDirect ? { channelId: payload.channel_id, text: payload.text } : null;
  return { id: known.id, events, from, sender, direct };
}

function readMention(ctx: ReadContext, known: Known, event: unknown): ChatEnvelope {
  const found = message.parse(event);
  const payload = toPayload(known, found, false);
  const after = payload.text.replace(/^\s*<@[UW]\w+>[\s:,]*/, "");
  const mention = { event: "app_mention", payload: { ...payload, text_after_mention: after } };
  // An edit that adds the mention is an edit too.
  const isCounted = found.edited == null || ctx.includeEdits;
  const { from, sender } = findSender(ctx, known, found);
  return { id: known.id, events: isCounted ? [mention] : [], from, sender, direct: null };
}

function readHome(known: Known, event: unknown): ChatEnvelope {
  const { user, channel, tab, view } = homeOpened.parse(event);
  const payload = {
    user,
    team_id: known.teamId,
    channel_id: channel ?? null,
    tab,
    view_id: view?.id ?? null,
  };
  return {
    id: known.id,
    events: [{ event: "app_home_opened", payload }],
    from: "person",
    sender: { teamId: known.teamId, userId: user, userName: null },
    direct: null,
  };
}

function toPayload(known: Known, found: Message, isEdited: boolean) {
  const channel_id = found.channel ?? "";
  const channel_type = found.channel_type ?? (channel_id.startsWith("D") ? "im" : null);
  const thread_ts = found.thread_ts ?? found.ts;
  return {
    user: found.user ?? "",
    channel_id,
    channel_type,
    // The messages tab of the app's home has a type of its own.
    is_dm: channel_type === "im" || channel_id.startsWith("D"),
    ts: found.ts,
    thread_ts,
    team_id: known.teamId,
    text: readText(found.text),
    is_reply: thread_ts !== found.ts,
    is_edited: isEdited,
    bot_id: found.bot_id ?? null,
    files: found.files ?? [],
  };
}

function findSender(
  { account }: ReadContext,
  known: Known,
  found: Message,
): Pick<ChatEnvelope, "from" | "sender"> {
  const userId = found.user ?? null;
  // In a shared channel, the sender may be of another workspace.
  const teamId = found.user_team ?? found.source_team ?? found.team ?? known.teamId;
  const sender = userId === null ? null : { teamId, userId, userName: null };
  const ownUser = account?.userId ?? known.botUserId;
  const ownBot = account?.ids?.bot_id;
  const isOwnBot = ownBot !== undefined && found.bot_id === ownBot;
  if (isOwnBot || (userId !== null && userId === ownUser)) return { from: "self", sender };
  const isBot = (found.bot_id ?? "") !== "" || found.subtype === "bot_message";
  return { from: isBot ? "bot" : "person", sender };
}

/** What the reading of an envelope depends on. */
export type ReadContext = {
  /** The bot's own account, by which its own messages are recognized. */
  account: ChatAccount | null;
  /** An edited message is an event too. */
  includeEdits: boolean;
};
