import { collectText } from "../../test/support/collect-text.ts";
import { type StdioOptions, toStdioCommand } from "../../test/support/stdio-command.ts";
import { readMessage, readRefusal, readResponse } from "./check-answer.ts";
import { type Expectation, expectFrame } from "./expect-frame.ts";
import type { Frame, Target, Tried } from "./target.ts";

type Answer = { text: string; message: Record<string, unknown> };

const newline = Buffer.from("\n");
const unreadableCode = -32700;

/** `hub mcp serve`, with nothing between. */
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

/** A call that was cancelled gets no answer, so who cancels comes when nothing is under way. */
function inSafeOrder(frames: readonly Frame[]): Frame[] {
  const cancels = ({ bytes }: Frame) => toLines(bytes).some((line) => expectFrame(line).isCancel);
  return frames.filter((frame) => !cancels(frame));
}

/** A frame with a line feed in it is several; blank ones are none. */
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
 * Answers come in any order, and a message that was refused may have had another one's id. So
 * results find their requests first, then errors; the errors left over are those of what was refused.
 */
function matchAnswers(expected: readonly Expectation[], answers: readonly Answer[]): Tried[] {
  const requests = expected.filter((one) => one.kind === "request");
  const [errors, results] = [answers.filter(isError), answers.filter((one) => !isError(one))];
  const tried: Tried[] = [];
  const refusals: Answer[] = [];
  for (const { text, message } of [...results, ...errors]) {
    const place = requests.findIndex(({ id }) => id === message.id);
    const [request] = place === -1 ? [] : requests.splice(place, 1);
    if (request === undefined) {
      refusals.push({ text, message });
      continue;
    }
    readResponse(text, request.id);
    const outcome = "error" in message ? "error" : "result";
    tried.push({ outcome, calls: request.isCall ? 1 : 0, texts: [text] });
  }
  if (requests.length > 0) throw new Error(`No answer has the id ${requests[0]?.id}.`);
  // Only what is no JSON has this code, whichever of two errors with one id is whose.
  const unreadable = refusals.filter(({ text }) => readRefusal(text) === unreadableCode).length;
  const wanted = expected.filter((one) => one.kind === "refused" && one.code === unreadableCode);
  if (unreadable !== wanted.length) {
    throw new Error(
      `${wanted.length} messages were no JSON, and ${unreadable} were refused as such.`,
    );
  }
  for (const { text } of refusals) tried.push({ outcome: "refusal", calls: 0, texts: [text] });
  return tried;
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
