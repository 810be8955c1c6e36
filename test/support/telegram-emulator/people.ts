import type { Bot } from "./bot.ts";
import type { Chat } from "./chat.ts";
import { readText } from "./text-entities.ts";
import type { CallbackQuery, MemberStatus, Message, UpdateType, User } from "./types.ts";
import type { World } from "./world.ts";

export type Say = {
  from: User;
  in: Chat;
  text?: string;
  /** Content without a text, such as `{ photo: […], caption: "…" }`, or more fields of the message. */
  content?: Record<string, unknown>;
  topic?: number;
  replyTo?: Message;
};

/** What people do in their clients. */
export function createPeople(world: World) {
  function tell(chat: Chat, type: UpdateType, message: Message): void {
    for (const bot of botsOf(world, chat)) {
      if (isSeenBy(world, bot, chat, message)) bot.push(type, message);
    }
  }

  return {
    say({ from, in: chat, text, content, topic, replyTo }: Say): Message {
      const isChannel = chat.info.type === "channel";
      const thread = topic ?? (replyTo?.is_topic_message ? replyTo.message_thread_id : undefined);
      const message = chat.add({
        ...(isChannel ? { sender_chat: chat.info } : { from }),
        ...(replyTo !== undefined && chat.toReply(replyTo, thread)),
        ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true as const }),
        ...(text !== undefined && readText(text)),
        ...content,
      });
      tell(chat, isChannel ? "channel_post" : "message", message);
      return message;
    },
    edit(chat: Chat, message: Message, text: string): Message {
      const { entities: _, ...kept } = message;
      const edit_date = Math.floor(world.now() / 1000);
      const edited = { ...kept, ...readText(text), edit_date };
      chat.messages.set(message.message_id, edited);
      const isChannel = chat.info.type === "channel";
      tell(chat, isChannel ? "edited_channel_post" : "edited_message", edited);
      return edited;
    },
    /** Clicks the button with this data below a message of a bot. */
    click(click: { by: User; in: Chat; message: Message; data: string }): CallbackQuery {
      const message = click.in.messages.get(click.message.message_id);
      const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
      if (message === undefined || !buttons.some((button) => button.callback_data === click.data))
        throw new Error(`The message has no button with the data ${click.data}.`);
      const bot = world.bots.find(({ id }) => id === message.from?.id);
      if (bot === undefined) throw new Error("The message is not of a bot.");
      const query: CallbackQuery = {
        // 64 bits, more than a number of JSON holds.
        id: `47${Date.now()}${String(world.nextId()).padStart(4, "0")}`,
        from: click.by,
        message,
        chat_instance: String(-5_000_000_000_000_000 - Math.abs(click.in.id)),
        data: click.data,
      };
      world.openQueries.set(query.id, { query, bot });
      bot.push("callback_query", query);
      return query;
    },
    /** Adds or removes a bot, changes its rights, or blocks it in a private chat. */
    setMember(change: { by: User; in: Chat; bot: Bot; status: MemberStatus }): void {
      const { by, in: chat, bot, status } = change;
      const before = chat.bots.get(bot.id) ?? "left";
      chat.bots.set(bot.id, status);
      bot.push("my_chat_member", {
        chat: chat.info,
        from: by,
        date: Math.floor(world.now() / 1000),
        old_chat_member: toMember(bot, before),
        new_chat_member: toMember(bot, status),
      });
    },
    /** Makes a supergroup of a group: the chat gets another id. */
    upgrade(chat: Chat, by: User): Chat {
      const { title = "Group" } = chat.info;
      const next = world.addChat({ type: "supergroup", title });
      for (const [id, status] of chat.bots) next.bots.set(id, status);
      tell(chat, "message", chat.add({ from: by, migrate_to_chat_id: next.id }));
      tell(next, "message", next.add({ from: by, migrate_from_chat_id: chat.id }));
      chat.migratedTo = next;
      return next;
    },
    /** Makes all open callback queries too old to be answered. */
    expireQueries(): void {
      world.openQueries.clear();
    },
  };
}

const botsOf = (world: World, chat: Chat) =>
  world.bots.filter(({ id }) =>
    ["member", "administrator", "creator"].includes(chat.bots.get(id) ?? "left"),
  );

/** Which messages reach a bot: all in private chats and channels, few in groups with privacy mode. */
function isSeenBy(world: World, bot: Bot, chat: Chat, message: Message): boolean {
  if (message.from?.id === bot.id) return false;
  if (chat.info.type === "private" || chat.info.type === "channel") return true;
  if (bot.settings.canReadAllGroupMessages || chat.bots.get(bot.id) === "administrator")
    return true;
  if (message.text === undefined && message.caption === undefined) return true;
  if (message.reply_to_message?.from?.id === bot.id) return true;
  const names = world.bots.map(({ user }) => `@${user.username}`.toLowerCase());
  const own = `@${bot.user.username}`.toLowerCase();
  return (message.entities ?? []).some(({ type, offset, length }) => {
    const part = (message.text ?? "").slice(offset, offset + length).toLowerCase();
    if (type === "mention") return part === own;
    if (type !== "bot_command") return false;
    return part.endsWith(own) || !names.some((name) => part.endsWith(name));
  });
}

const toMember = (bot: Bot, status: MemberStatus) => ({
  user: bot.user,
  status,
  ...(status === "kicked" && { until_date: 0 }),
});
