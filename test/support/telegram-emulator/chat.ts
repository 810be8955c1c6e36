import type { ChatInfo, MemberStatus, Message, User } from "./types.ts";

/** One chat, as all its members see it. A private chat belongs to one bot and one user. */
export class Chat {
  readonly messages = new Map<number, Message>();
  readonly bots = new Map<number, MemberStatus>();
  /** Topics of a forum by thread id. */
  readonly topics = new Map<number, { name: string; isClosed: boolean }>();
  migratedTo: Chat | null = null;
  #lastMessageId: number;

  readonly info: ChatInfo;
  readonly now: () => number;

  constructor(info: ChatInfo, now: () => number, firstMessageId: number) {
    this.info = info;
    this.now = now;
    this.#lastMessageId = firstMessageId;
  }

  get id(): number {
    return this.info.id;
  }

  add(content: Omit<Message, "message_id" | "date" | "chat">): Message {
    this.#lastMessageId += 1;
    const message: Message = {
      message_id: this.#lastMessageId,
      date: Math.floor(this.now() / 1000),
      chat: this.info,
      ...content,
    };
    this.messages.set(message.message_id, message);
    return message;
  }

  /** Fields of a reply, also its thread: in a supergroup without topics a reply names its thread, too. */
  toReply(target: Message, topic: number | undefined): Partial<Message> {
    const { reply_to_message: _, ...quoted } = target;
    if (topic !== undefined || this.info.type !== "supergroup" || this.info.is_forum === true)
      return { reply_to_message: quoted };
    const thread = target.message_thread_id ?? target.message_id;
    return { reply_to_message: quoted, message_thread_id: thread };
  }

  createTopic(name: string, from: User): number {
    const message = this.add({ from, forum_topic_created: { name, icon_color: 7322096 } });
    message.message_thread_id = message.message_id;
    message.is_topic_message = true;
    this.topics.set(message.message_id, { name, isClosed: false });
    return message.message_id;
  }

  /** The noun of the chat in errors. */
  get noun(): string {
    const { type } = this.info;
    return type === "channel" ? "channel chat" : `${type} chat`;
  }
}
