import { checkHttpError, readMessage, readRefusal, readResponse } from "./check-answer.ts";
import { type Expectation, expectFrame } from "./expect-frame.ts";
import { type HeaderChange, mutateHeaders } from "./mutate.ts";
import type { Random } from "./random.ts";
import type { FrameOutcome, Target } from "./target.ts";

const bodyBytesMax = 4 * 1024 * 1024;
const concurrency = 8;

/** Sends messages over HTTP. */
export function createHttpTarget(url: string, token: string): Target {
  return {
    name: "HTTP",
    async tryAll(random, frames) {
      const outcomes: FrameOutcome[] = [];
      const queue = frames.map((frame) => ({
        bytes: frame.bytes,
        change: chooseHeaders(random, { ...frame.headers, authorization: `Bearer ${token}` }),
      }));
      const work = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          outcomes.push(await tryOne(url, next.bytes, next.change));
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      return outcomes;
    },
    close: async () => "",
    async [Symbol.asyncDispose]() {},
  };
}

function chooseHeaders(random: Random, headers: Record<string, string>): HeaderChange {
  const defaults = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const all = { ...defaults, ...headers };
  if (random.chance(0.3)) return mutateHeaders(random, all);
  return { headers: all, mayBeRefused: false };
}

async function tryOne(url: string, bytes: Buffer, change: HeaderChange): Promise<FrameOutcome> {
  try {
    return await sendOne(url, bytes, change);
  } catch (cause) {
    const sent = `${JSON.stringify(change.headers)} ${JSON.stringify(bytes.toString("latin1"))}`;
    throw new Error(`Sent: ${sent.slice(0, 4_000)}`, { cause });
  }
}

async function sendOne(
  url: string,
  bytes: Buffer,
  { headers, mayBeRefused }: HeaderChange,
): Promise<FrameOutcome> {
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: bytes });
  const text = await response.text();
  const expected = expectFrame(bytes);
  const isHttpError = [401, 403, 413, 415].includes(response.status);
  if (isHttpError) {
    checkHttpError(text);
    if (!mayBeRefused && bytes.length <= bodyBytesMax) {
      throw new Error(`The status is ${response.status}, but the headers are valid.`);
    }
  } else {
    checkAnswer(response, text, expected);
  }
  const isCall = !isHttpError && expected.kind === "request" && expected.isCall;
  return { outcome: `HTTP ${response.status}`, calls: isCall ? 1 : 0, texts: [text] };
}

function checkAnswer(response: Response, text: string, expected: Expectation): void {
  if (expected.kind === "silent") {
    if (text !== "") throw new Error("A notification got an answer.");
    return;
  }
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const messages = isStream
    ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? "")
    : [text];
  const last = messages.pop() ?? "";
  if (expected.kind === "request") readResponse(last, expected.id);
  else if (readRefusal(last) !== expected.code)
    throw new Error(`The code is not ${expected.code}.`);
  for (const message of messages) {
    if (readMessage(message).method !== "notifications/progress")
      throw new Error("The stream contains a message other than progress.");
  }
}
