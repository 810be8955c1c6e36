import { conflict, unauthorized } from "./api-error.ts";
import { type Update, type UpdateType, type User, updateTypes } from "./types.ts";

type Poll = { finish(result: Update[] | Error): void; limit: number };

export type Webhook = {
  url: string;
  secretToken: string | null;
  maxConnections: number;
  lastError: { at: number; message: string } | null;
};

const onlyIfAsked: readonly UpdateType[] = [
  "chat_member",
  "message_reaction",
  "message_reaction_count",
];

/** A bot's account and its queue of updates. */
export class Bot {
  isRevoked = false;
  readonly commands = new Map<string, { command: string; description: string }[]>();
  readonly pending: Update[] = [];
  readonly #repeats: Update[] = [];
  webhook: Webhook | null = null;
  #allowed: readonly UpdateType[] = [];
  #nextUpdateId: number;
  #poll: Poll | null = null;
  #isReversed = false;
  #seen = new Map<number, Update>();

  readonly user: User;
  readonly token: string;
  readonly settings: { canReadAllGroupMessages: boolean };
  readonly #changed: () => void;

  constructor(given: Pick<Bot, "user" | "token" | "settings">, changed: () => void) {
    const { user, token, settings } = given;
    this.user = user;
    this.token = token;
    this.settings = settings;
    this.#changed = changed;
    this.#nextUpdateId = 100_000 + (user.id % 1000);
  }

  get id(): number {
    return this.user.id;
  }

  get isPolling(): boolean {
    return this.#poll !== null;
  }

  get hasUpdates(): boolean {
    return this.pending.length + this.#repeats.length > 0;
  }

  get allowedUpdates(): readonly UpdateType[] {
    return this.#allowed;
  }

  allow(types: readonly UpdateType[] | undefined): void {
    if (types !== undefined) this.#allowed = types;
  }

  /** Puts an update into the queue, if the bot asked for its type. Null if it did not. */
  push(type: UpdateType, content: object): Update | null {
    const isAllowed =
      this.#allowed.length > 0 ? this.#allowed.includes(type) : !onlyIfAsked.includes(type);
    if (!isAllowed || !updateTypes.includes(type)) return null;
    // A copy: the update keeps what was true when it happened.
    const update = { update_id: this.#nextUpdateId, [type]: structuredClone(content) };
    this.#nextUpdateId += 1;
    this.#seen.set(update.update_id, update);
    this.pending.push(update);
    this.wake();
    return update;
  }

  /** Confirms what is before the offset, and answers with the rest, at once or after a while. */
  poll(
    { offset = 0, limit = 100, timeout = 0 }: { offset?: number; limit?: number; timeout?: number },
    signal: AbortSignal,
  ): Promise<Update[]> {
    if (this.webhook !== null)
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    this.endPoll(
      conflict(
        "terminated by other getUpdates request; make sure that only one bot instance is running",
      ),
    );
    if (offset < 0) this.pending.splice(0, Math.max(0, this.pending.length + offset));
    else this.#confirm(offset);
    const { promise, resolve, reject } = Promise.withResolvers<Update[]>();
    const timer = setTimeout(() => this.endPoll([]), timeout * 1000);
    const poll: Poll = {
      limit,
      finish: (result) => {
        clearTimeout(timer);
        if (this.#poll === poll) this.#poll = null;
        if (result instanceof Error) reject(result);
        else resolve(result);
        this.#changed();
      },
    };
    this.#poll = poll;
    // A closed connection ends the poll: the next one is no second poller.
    signal.addEventListener("abort", () => poll.finish([]), { once: true });
    this.wake();
    if (timeout === 0) this.endPoll([]);
    return promise;
  }

  endPoll(result: Update[] | Error): void {
    this.#poll?.finish(result);
  }

  wake(): void {
    this.#changed();
    const poll = this.#poll;
    if (poll === null) return;
    const updates = [...this.#repeats, ...this.pending].slice(0, poll.limit);
    if (updates.length === 0) return;
    this.#repeats.splice(0, updates.length);
    if (this.#isReversed) updates.reverse();
    this.#isReversed = false;
    poll.finish(updates);
  }

  /** Confirmed updates do not come again. */
  confirm(updateId: number): void {
    const index = this.pending.findIndex(({ update_id }) => update_id === updateId);
    if (index !== -1) this.pending.splice(index, 1);
    this.#changed();
  }

  dropPending(): void {
    this.pending.splice(0);
  }

  /** Delivers an update again, although it is confirmed. */
  repeat(updateId: number): void {
    const update = this.#seen.get(updateId);
    if (update === undefined) throw new Error(`There is no update ${updateId}.`);
    this.#repeats.push(update);
    this.wake();
  }

  takeRepeat(): Update | null {
    return this.#repeats.shift() ?? null;
  }

  /** The next batch of updates arrives in the reverse order. */
  reverseNext(): void {
    this.#isReversed = true;
  }

  /** After a week without updates, the platform picks the next id at random. */
  restartUpdateIds(next: number): void {
    this.#nextUpdateId = next;
  }

  /** The owner takes the token back: each call is refused from now on. */
  revoke(): void {
    this.isRevoked = true;
    this.endPoll(unauthorized());
  }

  #confirm(offset: number): void {
    const kept = this.pending.filter(({ update_id }) => update_id >= offset);
    this.pending.splice(0, this.pending.length, ...kept);
  }
}
