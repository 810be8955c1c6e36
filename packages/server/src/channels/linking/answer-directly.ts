import type { Row } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import type { ChatAccount, ChatAdapter, OpenChannel } from "../chat-adapter.ts";
import { type OpenChannelDeps, openChannel } from "../open-channel.ts";

type AnswerDeps = OpenChannelDeps & {
  loadAdapter(kind: string): Promise<ChatAdapter>;
  findAccount(rowId: string): Promise<ChatAccount | null>;
  logFailure(err: unknown, subject: { channel: string }): void;
};

/** Sends short answers as the bot of a channel. The event that is answered does not wait for them. */
export type DirectAnswers = {
  send(row: Row, message: { channelId: string; text: string }): void;
  perform(row: Row, answer: Answer): void;
};

type Answer = (adapter: ChatAdapter, channel: OpenChannel) => Promise<void>;

/** The platform may be slow. More are dropped: people send their text again. */
const inFlightMax = 20;

export function createDirectAnswers(deps: AnswerDeps): DirectAnswers {
  const inFlight = new Map<string, number>();

  async function start(row: Row, answer: Answer): Promise<void> {
    const adapter = await deps.loadAdapter(row.connectorKey);
    await row.prepare?.();
    const channel = openChannel(deps, row, await deps.findAccount(row.id));
    if (channel !== null) await answer(adapter, channel);
  }

  const answers: DirectAnswers = {
    send: (row, message) =>
      answers.perform(row, (adapter, channel) => adapter.sendText(channel, message)),
    perform(row, answer) {
      const subject = { channel: row.slug ?? row.id };
      const count = inFlight.get(row.id) ?? 0;
      if (count >= inFlightMax) {
        deps.logFailure(new HubError("rate_limited", "Too many answers are being sent."), subject);
        return;
      }
      inFlight.set(row.id, count + 1);
      start(row, answer)
        .catch((err: unknown) => deps.logFailure(err, subject))
        .finally(() => {
          const left = (inFlight.get(row.id) ?? 1) - 1;
          if (left === 0) inFlight.delete(row.id);
          else inFlight.set(row.id, left);
        });
    },
  };
  return answers;
}
