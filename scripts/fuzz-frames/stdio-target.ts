import { collectText } from "../../test/support/collect-text.ts";
import { type StdioOptions, toStdioCommand } from "../../test/support/stdio-command.ts";
import { readMessage, readRefusal, readResponse } from "./check-answer.ts";
import { type Expectation, expectFrame } from "./expect-frame.ts";
import type { Frame, FrameOutcome, Target } from "./target.ts";

type Answer = { text: string; message: Record<string, unknown> };

const newline = Buffer.from("\n");
const unreadableCode = -32700;

/** Sends messages to `hub mcp serve`. */
export function createStdioTarget(options: StdioOptions): Target {
  const { command, args, env, cwd } = toStdioCommand(options);
  const child = Bun.spawn([command, ...args], {
    env,
    cwd,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines = readLines(child.stdout);
  const log = collectText(child.stderr);

  return {
    name: "stdio",
    async tryAll(_random, frames) {
      const waiting: Expectation[] = [];
      for (const { bytes } of inSafeOrder(frames)) {
        child.stdin.write(Buffer.concat([bytes, newline]));
        waiting.push(
          ...toLines(bytes)
            .map(expectFrame)
            .filter(({ kind }) => kind !== "silent"),
        );
      }
      await child.stdin.flush();
      const answers: Answer[] = [];
      while (answers.length < waiting.length) {
        const { value: text, done } = await lines.next();
        if (done) throw new Error(`The process ended with ${await child.exited}.`);
        const message = readMessage(text);
        if (message.method !== "notifications/progress") answers.push({ text, message });
      }
      return matchAnswers(waiting, answers);
    },
    async close() {
      await child.stdin.end();
      const exitCode = await child.exited;
      if (exitCode !== 0) throw new Error(`The process ended with ${exitCode}: ${log.text()}`);
      return log.text();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Puts cancellations last, because a cancelled call gets no answer. */
function inSafeOrder(frames: readonly Frame[]): Frame[] {
  const cancels = ({ bytes }: Frame) => toLines(bytes).some((line) => expectFrame(line).isCancel);
  return frames.filter((frame) => !cancels(frame));
}

/** Splits a frame at line feeds, and drops blank lines. */
function toLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  lines.push(bytes.subarray(start));
  return lines.filter((line) => line.toString("utf8").trim() !== "");
}

/**
 * Answers arrive in any order, and a refused message may have the id of another one. So results are matched
 * to requests first, then errors. The remaining errors belong to refused messages.
 */
function matchAnswers(
  expected: readonly Expectation[],
  answers: readonly Answer[],
): FrameOutcome[] {
  const requests = expected.filter((one) => one.kind === "request");
  const [errors, results] = [answers.filter(isError), answers.filter((one) => !isError(one))];
  const outcomes: FrameOutcome[] = [];
  const refusals: Answer[] = [];
  for (const { text, message } of [...results, ...errors]) {
    const index = requests.findIndex(({ id }) => id === message.id);
    const [request] = index === -1 ? [] : requests.splice(index, 1);
    if (request === undefined) {
      refusals.push({ text, message });
      continue;
    }
    readResponse(text, request.id);
    const outcome = "error" in message ? "error" : "result";
    outcomes.push({ outcome, calls: request.isCall ? 1 : 0, texts: [text] });
  }
  if (requests.length > 0) throw new Error(`No answer has the id ${requests[0]?.id}.`);
  // Only invalid JSON has this code, so it does not matter which of two errors with one id is counted.
  const unreadable = refusals.filter(({ text }) => readRefusal(text) === unreadableCode).length;
  const wanted = expected.filter((one) => one.kind === "refused" && one.code === unreadableCode);
  if (unreadable !== wanted.length) {
    throw new Error(
      `${wanted.length} messages are invalid JSON, but ${unreadable} were refused as invalid JSON.`,
    );
  }
  for (const { text } of refusals) outcomes.push({ outcome: "refusal", calls: 0, texts: [text] });
  return outcomes;
}

function isError({ message }: Answer): boolean {
  return "error" in message;
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}
