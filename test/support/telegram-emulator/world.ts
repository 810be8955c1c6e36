import { Bot } from "./bot.ts";
import { Chat } from "./chat.ts";
import type { CallbackQuery, ChatInfo, User } from "./types.ts";

export type AnsweredQuery = { query: CallbackQuery; text: string | null; showAlert: boolean };

/** All bots, users and chats of the platform. */
export class World {
  readonly bots: Bot[] = [];
  readonly users = new Map<number, User>();
  readonly chats: Chat[] = [];
  /** Callback queries that can still be answered. */
  readonly openQueries = new Map<string, { query: CallbackQuery; bot: Bot }>();
  readonly answeredQueries: AnsweredQuery[] = [];
  readonly #privateChats = new Map<string, Chat>();
  #lastId = 0;

  readonly now: () => number;
  readonly #changed: () => void;

  constructor(now: () => number, changed: () => void) {
    this.now = now;
    this.#changed = changed;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  addBot(given: { username?: string; firstName?: string; canReadAllGroupMessages?: boolean }): Bot {
    // Ids pass 2^32, as those of the platform do.
    const id = 7_000_000_000 + this.nextId();
    const user = {
      id,
      is_bot: true,
      first_name: given.firstName ?? "Hub",
      username: given.username ?? `hub_${this.nextId()}_bot`,
    };
    const token = `${id}:${crypto.randomUUID().replaceAll("-", "")}aB_`;
    const canReadAllGroupMessages = given.canReadAllGroupMessages ?? false;
    const bot = new Bot({ user, token, settings: { canReadAllGroupMessages } }, this.#changed);
    this.bots.push(bot);
    this.users.set(id, user);
    return bot;
  }

  addUser(given: Partial<Omit<User, "id">> = {}): User {
    const id = 5_000_000_000 + this.nextId();
    const user = { id, is_bot: false, first_name: "Ada", language_code: "en", ...given };
    this.users.set(id, user);
    return user;
  }

  addChat(info: Omit<ChatInfo, "id"> & { id?: number }): Chat {
    const number = this.nextId();
    const id = info.type === "group" ? -4_000_000_000 - number : -1_002_000_000_000 - number;
    const chat = new Chat({ id, ...info }, this.now, number * 10);
    this.chats.push(chat);
    return chat;
  }

  /** The private chat of a bot and a user, opened by its first use. */
  privateChat(bot: Bot, user: User): Chat {
    const key = `${bot.id} ${user.id}`;
    const known = this.#privateChats.get(key);
    if (known !== undefined) return known;
    const { id, first_name, last_name, username } = user;
    const info: ChatInfo = {
      id,
      type: "private",
      first_name,
      ...(last_name !== undefined && { last_name }),
      ...(username !== undefined && { username }),
    };
    const chat = new Chat(info, this.now, this.nextId() * 10);
    chat.bots.set(bot.id, "member");
    this.#privateChats.set(key, chat);
    return chat;
  }

  findChat(bot: Bot, id: number): Chat | null {
    const known = this.#privateChats.get(`${bot.id} ${id}`);
    return known ?? this.chats.find((chat) => chat.id === id) ?? null;
  }

  findNamedChat(username: string): Chat | null {
    const name = username.toLowerCase();
    return this.chats.find(({ info }) => info.username?.toLowerCase() === name) ?? null;
  }
}
