import { setTimeout } from "node:timers/promises";
import type { ChatAccount, ChatSession, OpenChannel } from "../chat-adapter.ts";
import { listAllowedUpdates, parseUpdate } from "./receive-update.ts";
import type { TelegramClient } from "./telegram-client.ts";
import type { TelegramConfig } from "./telegram-config-fields.ts";

/** Telegram recommends long polls. The guarded fetch ends calls after 60 s. */
const pollS = 25;

const emptyPollMsMin = 1_000;

/** "If there are no new updates for at least a week, the identifier of the next one is random." */
const offsetValidMs = 6 * 24 * 3_600_000;

/**
 * Asks Telegram for updates until the signal aborts. An update is confirmed by the offset of the
 * next poll, which is stored after the runs: after a crash it comes again, under the same id.
 */
export async function pollUpdates(
  client: TelegramClient,
  channel: OpenChannel & { config: TelegramConfig },
  session: ChatSession,
  account: ChatAccount,
): Promise<void> {
  const { signal } = session;
  const allowed = listAllowedUpdates(channel.config);
  const info = await client.call((api) => api.getWebhookInfo());
  // Telegram answers no poll while a webhook is set. What waits for it is kept.
  if (info.url) await client.call((api) => api.deleteWebhook());
  session.connected(account);
  let offset = readCursor(session.cursor, channel.now());
  while (!signal.aborted) {
    const askedAt = performance.now();
    const updates = await client.call((api) =>
      api.getUpdates({
        ...(offset !== null && { offset }),
        timeout: pollS,
        allowed_updates: allowed,
      }),
    );
    if (updates.length === 0) {
      // A server that does not wait for updates is not asked again and again.
      const leftMs = emptyPollMsMin - (performance.now() - askedAt);
      if (leftMs > 0) await setTimeout(leftMs, undefined, { signal }).catch(() => {});
      continue;
    }
    const next = await receiveAll(updates, channel, session, account);
    if (next.offset !== null) {
      offset = next.offset;
      await session.saveCursor(`${offset}@${channel.now()}`);
    }
    if (next.failure !== null) throw next.failure.reason;
  }
}

/** Stores updates in their order. The offset stops before the first one that was not stored. */
async function receiveAll(
  updates: readonly { update_id: number }[],
  channel: OpenChannel,
  session: ChatSession,
  account: ChatAccount,
): Promise<{ offset: number | null; failure: { reason: unknown } | null }> {
  const sorted = updates.toSorted((a, b) => a.update_id - b.update_id);
  const stored = await Promise.allSettled(
    sorted.map((update) => session.receive(parseUpdate(update, channel, account))),
  );
  let offset: number | null = null;
  for (const [index, { update_id: id }] of sorted.entries()) {
    const result = stored[index];
    if (result?.status === "rejected") return { offset, failure: { reason: result.reason } };
    offset = id + 1;
  }
  return { offset, failure: null };
}

/** `<offset>@<time>`. Null if there is none, or if the next id may be lower. */
function readCursor(cursor: string | null, nowMs: number): number | null {
  const [, offset, time] = /^(\d+)@(\d+)$/.exec(cursor ?? "") ?? [];
  if (offset === undefined || nowMs - Number(time) > offsetValidMs) return null;
  return Number(offset);
}
