import type { Bot, Webhook } from "./bot.ts";
import type { Update } from "./types.ts";

export type Delivery = { updateId: number; status: number | null; body: string };

type Deps = {
  retryMs: number;
  now(): number;
  signal: AbortSignal;
  onDelivery(delivery: Delivery): void;
  /** A webhook may answer with a call of a method. */
  call(bot: Bot, method: string, params: Record<string, unknown>): Promise<void>;
};

// Tests may replace the global one.
const send = fetch;
const attemptsMax = 50;

/** Sends the queue to the webhook, one update after another, until each is answered with 2xx. */
export async function deliverToWebhook(deps: Deps, bot: Bot, webhook: Webhook): Promise<void> {
  const attempts = new Map<number, number>();
  while (bot.webhook === webhook && !deps.signal.aborted) {
    const repeat = bot.takeRepeat();
    const update = repeat ?? bot.pending[0];
    if (update === undefined) return;
    const delivery = await deliver(deps, webhook, update);
    deps.onDelivery(delivery);
    const { status } = delivery;
    if (status !== null && status >= 200 && status < 300) {
      if (repeat === null) bot.confirm(update.update_id);
      await answer(deps, bot, delivery.body);
      continue;
    }
    const message = status === null ? delivery.body : `Wrong response from the webhook: ${status}`;
    webhook.lastError = { at: Math.floor(deps.now() / 1000), message };
    const count = (attempts.get(update.update_id) ?? 0) + 1;
    attempts.set(update.update_id, count);
    if (count >= attemptsMax) bot.confirm(update.update_id);
    await Bun.sleep(deps.retryMs);
  }
}

async function deliver(deps: Deps, webhook: Webhook, update: Update): Promise<Delivery> {
  const { update_id: updateId } = update;
  const headers = new Headers({ "content-type": "application/json" });
  if (webhook.secretToken !== null)
    headers.set("x-telegram-bot-api-secret-token", webhook.secretToken);
  try {
    const response = await send(webhook.url, {
      method: "POST",
      headers,
      body: JSON.stringify(update),
      redirect: "manual",
      signal: deps.signal,
    });
    return { updateId, status: response.status, body: await response.text() };
  } catch (error) {
    return { updateId, status: null, body: String(error) };
  }
}

async function answer(deps: Deps, bot: Bot, body: string): Promise<void> {
  if (!body.startsWith("{")) return;
  try {
    const { method, ...params } = JSON.parse(body);
    if (typeof method === "string") await deps.call(bot, method, params);
  } catch {
    // The platform ignores such answers.
  }
}
