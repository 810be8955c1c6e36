import { OutboundError, toBytesText } from "@hub/connector";
import type { AnswerBudget } from "../../../connectors/connector-port.ts";
import { loopBytesMax } from "../../../lib/limits/answer-limits.ts";
import { createChunkReader } from "../../../lib/streams/read-chunks.ts";
import { checkMessage } from "../check-message.ts";
import { hideDigits } from "../results/keep-digits.ts";
import { createEventLines } from "./event-lines.ts";
import { createEventParts, type ReceivedEvent } from "./event-parts.ts";
import { type MessageGate, toMessageSteps } from "./message-gate.ts";

export type EventOptions = {
  /** Limit of one message. */
  messageBytesMax: number;
  /** Memory for a long message is taken from it. */
  budget?: AnswerBudget | undefined;
  gate: MessageGate<string>;
  /** Reserves steps of the event loop. Null if they are free, otherwise a promise to await first. */
  takeSteps(steps: number): Promise<void> | null;
};

/** A longer message is not parsed here, only its size is limited. */
const gatedCharsMax = 4096;
/** A longer one is read in turns of its own. */
export const aloneCharsMin = 64 * 1024;
/** The work that is passed on at once: about five milliseconds. */
const portionSteps = 2_500_000;
const stepsPerLine = 200;
const stepsPerByte = 2;
/** Of an event, which a client sends back. */
const idCharsMax = 1024;
/** A server must not be asked all the time. */
const retryMsMin = 1000;
const byteOrderMark = "\u00ef\u00bb\u00bf";

/**
 * Reads a stream of events and passes on those that the client library reads, in portions: a server may send
 * any number of events, lines and messages at once. Meanwhile the rest stays at the server. The stream fails with a
 * message that is too long or too expensive to parse. Numbers of structured content are hidden from the
 * library, which would change them.
 */
export function readEvents(
  body: ReadableStream<Uint8Array>,
  options: EventOptions,
): ReadableStream<Uint8Array> {
  const reader = createChunkReader(body.getReader());
  const lines = createEventLines();
  const parts = createEventParts();
  const hold = createHolder(options);
  let isFirst = true;
  let isBetweenChunks = true;

  /** The next events to pass on, as text, and what they and the lines between them cost. */
  function readPortion(): { text: string; large: ReceivedEvent | null; steps: number } {
    const texts: string[] = [];
    let large: ReceivedEvent | null = null;
    let steps = 0;
    while (steps < portionSteps && large === null) {
      const line = lines.next();
      if (line === null) {
        isBetweenChunks = true;
        break;
      }
      steps += stepsPerLine + stepsPerByte * line.length;
      const event = parts.add(isFirst ? line.replace(byteOrderMark, "") : line);
      isFirst = false;
      hold.check(parts.bytes());
      if (event === null) continue;
      if ((event.data?.length ?? 0) > aloneCharsMin) {
        large = event;
        continue;
      }
      for (const text of passOn(options.gate, event)) {
        texts.push(text);
        steps += toMessageSteps(text.length);
      }
    }
    const retryMs = parts.takeRetryMs();
    if (retryMs !== null) texts.unshift(`retry: ${Math.max(retryMs, retryMsMin)}\n\n`);
    return { text: texts.join(""), large, steps };
  }

  /** Checks the event in one turn, and lets the library parse it in another. */
  async function readLarge(event: ReceivedEvent): Promise<string> {
    const steps = toMessageSteps(event.data?.length ?? 0);
    await options.takeSteps(steps);
    const text = passOn(options.gate, event).join("");
    await options.takeSteps(steps);
    return text;
  }

  async function pullNext(): Promise<string | null> {
    for (;;) {
      if (isBetweenChunks) {
        const chunk = await reader.next();
        if (chunk === null) return null;
        lines.add(chunk);
        isBetweenChunks = false;
      }
      const { text, large, steps } = readPortion();
      const turn = options.takeSteps(steps);
      if (turn !== null) await turn;
      const memory = hold.take(parts.bytes() + lines.restBytes());
      if (memory !== null) await memory;
      const whole = large === null ? text : text + (await readLarge(large));
      if (whole !== "") return whole;
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await pullNext();
        if (text === null) controller.close();
        else controller.enqueue(Buffer.from(text, "latin1"));
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** The event as the text of a stream, after those that were held back; empty if it is not passed on. */
function passOn(gate: MessageGate<string>, { data, type, id }: ReceivedEvent): string[] {
  const idLine = id === null || id.length > idCharsMax ? "" : `id: ${id}\n`;
  // Of the older transport: where to send requests.
  if (type === "endpoint") return [`event: endpoint\ndata: ${data}\n\n`];
  if (type !== "" && type !== "message") return [];
  if (data === null || data === "") return idLine === "" ? [] : [`${idLine}data:\n\n`];
  if (data.length > gatedCharsMax) {
    checkMessage(data);
    return [...gate.takeHeld(), `${idLine}data: ${hideDigits(data)}\n\n`];
  }
  const message = findJson(data);
  return gate.admit(message, `${idLine}data: ${hideDigits(data)}\n\n`);
}

/** Undefined if it is not JSON. The Latin-1 text has the same structure. */
function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Limits the message that is being read, and takes memory for a long one before more of it is read. */
function createHolder({ messageBytesMax, budget }: EventOptions) {
  let held = 0;
  function check(bytes: number): void {
    if (bytes <= messageBytesMax) return;
    throw new OutboundError(
      "body_too_large",
      `The MCP server sent a message larger than ${toBytesText(messageBytesMax)}. Request less data at a time.`,
    );
  }
  return {
    check,
    take(bytes: number): Promise<void> | null {
      check(bytes);
      if (budget === undefined || bytes <= loopBytesMax || bytes <= held) return null;
      const wanted = bytes + loopBytesMax - held;
      held += wanted;
      return budget.take(wanted) ?? null;
    },
  };
}
