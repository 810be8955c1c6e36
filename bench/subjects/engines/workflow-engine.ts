import type { HttpRequest } from "../../load/http-request.ts";

/** What a webhook of an engine gets, and what the engine answers. */
export type Webhook = { url: string; answer: string };

/**
 * A program that runs workflows. The workflow of all engines: a webhook, a condition on the body's `n`, a
 * value made of it, and then a call or the answer.
 */
export type WorkflowEngine = AsyncDisposable & {
  /** Its version and the settings that matter. */
  about: string;
  pid: number;
  /** From the start of the program to the first answered webhook. */
  startedInMs: number;
  /** Answers at once, and calls an operation or the outside system after that. */
  immediate: Webhook;
  /** Answers with what the workflow says. */
  answering: Webhook;
  /** The number of distinct runs of `immediate` that have finished. */
  countFinished(): Promise<number>;
};

/** The request of a webhook. The id tells runs apart. */
export function toWebhookRequest({ url }: Webhook, id = "0"): HttpRequest {
  return {
    url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ n: 5, id }),
  };
}

/** What `answering` answers in every engine. */
export const ownAnswer = JSON.stringify({ n: 5 });

const waitMsMax = 120_000;

/** Waits until a webhook answers. Programs say that they are ready before their webhooks are. */
export async function awaitWebhook(webhook: Webhook): Promise<void> {
  const startedAt = performance.now();
  const request = toWebhookRequest(webhook);
  for (;;) {
    const response = await fetch(request.url, { ...request, method: "POST" }).catch(() => null);
    const text = await response?.text();
    if (response?.ok && text === webhook.answer) return;
    if (performance.now() - startedAt > waitMsMax) {
      throw new Error(`${webhook.url} did not answer: ${response?.status} ${text?.slice(0, 500)}`);
    }
    await Bun.sleep(10);
  }
}

/** How many distinct ids the outside system has got. */
export async function countDone(sinkUrl: string): Promise<number> {
  return Number(await (await fetch(`${sinkUrl}/count`)).text());
}
