import { AnswerFrames } from "../../packages/server/src/sandbox/answer-frames.ts";
import {
  questionsAtOnceMax,
  questionsMax,
} from "../../packages/server/src/sandbox/script-limits.ts";
import { ScriptQuestions } from "../../packages/server/src/sandbox/script-questions.ts";
import type { ScriptReply } from "../../packages/server/src/sandbox/script-sandbox.ts";
import { toFrame } from "../../packages/server/src/sandbox/testing/fake-process.ts";

/**
 * Sends messages as a process that has been taken over could: valid ones in a wrong order, with wrong ids, cut, joined
 * and with changed bytes. Whatever comes, the process ends or the script does, no answer goes to a question that was not
 * asked, and no more is open than may be.
 */
export async function forgeMessages(given: { seed: number; rounds: number }) {
  const random = createRandom(given.seed);
  const faults: string[] = [];
  const ends = { refused: 0, answered: 0, questions: 0 };
  for (let round = 0; round < given.rounds; round += 1) {
    const { fault, end, asked } = await playRound(random);
    if (fault !== null) faults.push(`round ${round}: ${fault}`);
    ends[end] += 1;
    ends.questions += asked;
  }
  const summary = `${ends.refused} ended, ${ends.answered} answered, ${ends.questions} questions`;
  return { faults, summary };
}

async function playRound(random: (below: number) => number) {
  const bytes = writeMessages(random);
  const { stream, push, close } = openStream();
  let isEnded = false;
  const frames = new AnswerFrames(stream, () => {
    isEnded = true;
  });
  let open = 0;
  let mostOpen = 0;
  const replied: number[] = [];
  const questions = new ScriptQuestions({
    firstId: 1,
    async answer(): Promise<ScriptReply> {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return { kind: "value", text: "1" };
    },
    async send(header) {
      if (header.kind === "reply") replied.push(header.id);
    },
  });
  const ended = frames
    .follow((question) => questions.take(question))
    .then(
      () => "answered" as const,
      () => "refused" as const,
    );
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random(200);
    push(bytes.subarray(at, at + length));
    at += length;
    if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  close();
  const end = await ended;
  await questions.complete();
  const { begun } = questions.count();
  const isOrdered = replied.every((id) => id >= 1 && id <= begun);
  const isOnce = new Set(replied).size === replied.length;
  let fault: string | null = null;
  if (mostOpen > questionsAtOnceMax) fault = `${mostOpen} open at once`;
  if (begun > questionsMax) fault = `${begun} questions`;
  if (!isOrdered || !isOnce) fault = `replies to ${replied.join()}`;
  if (end === "refused" && !isEnded) fault = "it was refused, and the process lives";
  return { fault, end, asked: begun };
}

/** Some right messages, and some that are not. */
function writeMessages(random: (below: number) => number): Uint8Array {
  const parts: Uint8Array[] = [];
  let id = 1;
  for (let count = 1 + random(12); count > 0; count -= 1) {
    const wrong = random(8);
    const askedId = wrong === 0 ? random(20) - 5 : id;
    if (random(6) === 0) parts.push(toFrame({ kind: "search", id: askedId }, '"words"'));
    else if (random(9) === 0) parts.push(toFrame({ kind: "value", logs: [] }, "1"));
    else if (random(12) === 0) parts.push(toFrame({ kind: "reply", id: askedId, isError: false }));
    else parts.push(toFrame({ kind: "call", id: askedId, toolId: "t" }, wrong === 1 ? "{" : "{}"));
    id += 1;
  }
  // Half of them could come from a script.
  if (random(2) === 0)
    return Buffer.concat([...parts.slice(0, 5), toFrame({ kind: "value", logs: [] }, "1")]);
  const all = Buffer.concat(parts);
  for (let changes = random(3); changes > 0; changes -= 1) all[random(all.length)] = random(256);
  return random(5) === 0 ? all.subarray(0, random(all.length) + 1) : all;
}

function openStream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  const ignoreClosed = (work: () => void) => {
    try {
      work();
    } catch {
      // The reader has gone: the process would have ended.
    }
  };
  return {
    stream,
    push: (bytes: Uint8Array) => ignoreClosed(() => controller?.enqueue(bytes)),
    close: () => ignoreClosed(() => controller?.close()),
  };
}

/** Numbers that follow from the seed. */
function createRandom(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
