import { checkDoor, readMessage, readRefusal, readResponse } from "./check-answer.ts";
import { type Expectation, expectFrame } from "./expect-frame.ts";
import { type HeaderChange, mutateHeaders } from "./mutate.ts";
import type { Random } from "./random.ts";
import type { Target, Tried } from "./target.ts";

const bodyBytesMax = 4 * 1024 * 1024;
const atOnce = 8;

/** The hub's HTTP door. */
export function createHttpTarget(url: string, token: string): Target {
  return {
    name: "HTTP",
    async tryAll(random, frames) {
      const tried: Tried[] = [];
      const queue = frames.map((frame) => ({
        bytes: frame.bytes,
        change: chooseHeaders(random, { ...frame.headers, authorization: `Bearer ${token}` }),
      }));
      const work = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          tried.push(await tryOne(url, next.bytes, next.change));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return tried;
    },
    close: async () => "",
    async [Symbol.asyncDispose]() {},
  };
}

function chooseHeaders(random: Random, headers: Record<string, string>): HeaderChange {
  const usual = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const all = { ...usual, ...headers };
  if (random.chance(0.3)) return mutateHeaders(random, all);
  return { headers: all, mayBeRefused: false };
}

async function tryOne(url: string, bytes: Buffer, change: HeaderChange): Promise<Tried> {
  try {
    return await askOne(url, bytes, change);
  } catch (cause) {
    const sent = `${JSON.stringify(change.headers)} ${JSON.stringify(bytes.toString("latin1"))}`;
    throw new Error(`Sent: ${sent.slice(0, 4_000)}`, { cause });
  }
}

async function askOne(
  url: string,
  bytes: Buffer,
  { headers, mayBeRefused }: HeaderChange,
): Promise<Tried> {
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: bytes });
  const text = await response.text();
  const expected = expectFrame(bytes);
  const isDoor = [401, 403, 413, 415].includes(response.status);
  if (isDoor) {
    checkDoor(text);
    if (!mayBeRefused && bytes.length <= bodyBytesMax) {
      throw new Error(`The door refused with ${response.status} what was no fault of its headers.`);
    }
  } else {
    checkAnswer(response, text, expected);
  }
  const isCall = !isDoor && expected.kind === "request" && expected.isCall;
  return { outcome: `HTTP ${response.status}`, calls: isCall ? 1 : 0, texts: [text] };
}

function checkAnswer(response: Response, text: string, expected: Expectation): void {
  if (expected.kind === "silent") {
    if (text !== "") throw new Error("A message that wants no answer got one.");
    return;
  }
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const messages = isStream
    ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? "")
    : [text];
  const last = messages.pop() ?? "";
  if (expected.kind === "request") readResponse(last, expected.id);
  else if (readRefusal(last) !== expected.code) throw new Error(`It is not ${expected.code}.`);
  for (const message of messages) {
    if (readMessage(message).method !== "notifications/progress") throw new Error("No progress.");
  }
}
