import { type OperationTools, UpstreamError } from "@hub/connector";
import type { Api } from "grammy/web";
import type { FormattedText } from "../format/parse-markdown.ts";
import { type TelegramClient, TelegramError } from "../telegram-client.ts";
import { toFailure } from "./call-telegram.ts";
import { createWaits } from "./wait-for-limit.ts";

type Options = NonNullable<Parameters<Api["sendMessage"]>[2]>;

/** Where a message goes. `thread` is a topic, or a message outside of topics. */
export type Target = { chat: number | string; thread: number | null; replyTo: number | null };

export type SentMessages = {
  ok: true;
  channel_id: string;
  ts: string;
  thread_ts: string;
  all_ts: string[];
};

export const sentSchema = {
  type: "object",
  properties: {
    ok: { const: true },
    channel_id: { type: "string" },
    ts: { type: "string", description: "The id of the first message." },
    thread_ts: { type: "string", description: "The thread to answer in." },
    all_ts: {
      type: "array",
      items: { type: "string" },
      description: "The ids of all messages: a long text becomes several.",
    },
  },
  required: ["ok", "channel_id", "ts", "thread_ts", "all_ts"],
};

type SendDeps = Pick<OperationTools, "signal" | "progress"> & { client: TelegramClient };

/**
 * Sends a text as one message or several, the last one with the buttons. If Telegram limits the rate after the first
 * one, the next one waits. A failure says how many were sent.
 */
export async function sendParts(
  deps: SendDeps,
  target: Target,
  parts: readonly FormattedText[],
  { options, last }: { options: Options; last: Options },
): Promise<SentMessages> {
  let to = target;
  const sent: string[] = [];
  const waits = createWaits(deps);
  let thread: string | null = null;
  for (const [index, part] of parts.entries()) {
    const other = { ...options, ...(index === parts.length - 1 && last) };
    try {
      const send = () => sendPart(deps.client, to, part, other);
      // Nothing was sent before the first one, so the caller can repeat the whole call.
      const message = await (index === 0 ? send() : waits.send(send, [index, parts.length]));
      sent.push(String(message.sent.message_id));
      const { thread: topic, replyTo } = message.to;
      thread ??= topic === null && replyTo === null ? null : String(topic ?? replyTo);
      // The parts that follow are no replies.
      to = { ...message.to, replyTo: null };
    } catch (thrown) {
      throw toPartialFailure(toFailure(thrown), sent, parts.length);
    }
  }
  const ts = sent[0] ?? "";
  return { ok: true, channel_id: String(to.chat), ts, thread_ts: thread ?? ts, all_ts: sent };
}

/** Without status and wait: another try would send the first messages again. */
function toPartialFailure(failure: Error, sent: readonly string[], count: number): Error {
  if (sent.length === 0) return failure;
  const were = sent.length === 1 ? "was" : "were";
  return new UpstreamError(
    `Only ${sent.length} of ${count} messages ${were} sent. ${failure.message} Send only the rest: the whole text would come twice.`,
    { body: { sent: sent.length, of: count, all_ts: sent, ...readBody(failure) }, cause: failure },
  );
}

function readBody(failure: Error): object {
  const body = failure instanceof UpstreamError ? failure.body : undefined;
  return typeof body === "object" && body !== null ? body : {};
}

/** Sends one message. If the target has moved, it is sent there: the refused call had no effect. */
async function sendPart(
  client: TelegramClient,
  to: Target,
  part: FormattedText,
  options: Options,
): Promise<{ sent: { message_id: number }; to: Target }> {
  try {
    const sent = await client.call((api) =>
      api.sendMessage(to.chat, part.text, {
        ...options,
        entities: part.entities,
        ...(to.thread !== null && { message_thread_id: to.thread }),
        ...(to.replyTo !== null && {
          reply_parameters: { message_id: to.replyTo, allow_sending_without_reply: true },
        }),
      }),
    );
    return { sent, to: { ...to, chat: sent.chat.id } };
  } catch (thrown) {
    const moved = thrown instanceof TelegramError ? findMoved(thrown, to) : null;
    if (moved === null) throw thrown;
    return await sendPart(client, moved, part, options);
  }
}

function findMoved({ migrateTo, description }: TelegramError, to: Target): Target | null {
  // The group became a supergroup. Its threads and messages have other ids there.
  if (migrateTo !== null && to.chat !== migrateTo) {
    return { chat: migrateTo, thread: null, replyTo: null };
  }
  // Only a group with topics has threads to write to. Elsewhere a thread is a message.
  if (to.thread !== null && /thread not found/.test(description)) {
    return { ...to, thread: null, replyTo: to.replyTo ?? to.thread };
  }
  return null;
}
