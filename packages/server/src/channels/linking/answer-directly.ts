import type { Row } from "../../connectors/row-directory.ts";
import { HubError } from "../../errors.ts";
import type { ChatAccount, ChatAdapter } from "../chat-adapter.ts";
import { type OpenChannelDeps, openChannel } from "../open-channel.ts";

type AnswerDeps = OpenChannelDeps & {
  loadAdapter(kind: string): Promise<ChatAdapter>;
  findAccount(rowId: string): Promise<ChatAccount | null>;
  logFailure(err: unknown, place: { channel: string }): void;
};

/** Sends short answers as the bot of a channel. The event that is answered does not wait for them. */
export type DirectAnswers = {
  send(row: Row, message: { channelId: string; text: string }): void;
};

/** The platform may be slow. More are dropped: people send their text again. */
const inFlightMax = 20;

export function createDirectAnswers(deps: AnswerDeps): DirectAnswers {
  const inFlight = new Map<string, number>();

  async function send(row: Row, message: { channelId: string; text: string }): Promise<void> {
    const adapter = await deps.loadAdapter(row.connectorKey);
    const channel = openChannel(deps, row, await deps.findAccount(row.id));
    if (channel !== null) await adapter.sendText(channel, message);
  }

  return {
    send(row, message) {
      const place = { channel: row.slug ?? row.id };
      const count = inFlight.get(row.id) ?? 0;
      if (count >= inFlightMax) {
        deps.logFailure(new HubError("rate_limited", "Too many answers are being sent."), place);
        return;
      }
      inFlight.set(row.id, count + 1);
      send(row, message)
        .catch((err: unknown) => deps.logFailure(err, place))
        .finally(() => {
          const left = (inFlight.get(row.id) ?? 1) - 1;
          if (left === 0) inFlight.delete(row.id);
          else inFlight.set(row.id, left);
        });
    },
  };
}
