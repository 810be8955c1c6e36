import { expect, test } from "bun:test";
import type { LargePart } from "../../lib/json/write-json.ts";
import type { AnswerJob, Questions, ReadAnswer, Replies } from "./answer-job.ts";
import { LargeAnswer, sealLargeAnswer } from "./large-answers.ts";

type Ask = (questions: Questions) => Promise<Replies>;

/** Seals an answer with a simulated worker. */
async function seal(parts: LargePart[], work: (job: AnswerJob, ask: Ask) => Promise<void>) {
  const sealer = {
    seal: (text: string, ofRow: boolean) => `${ofRow ? "row" : "user"} ${text.length}`,
    isGenuine: (token: string) => token.startsWith("good"),
  };
  const read = { text: "null", auditText: "null", isAuditCut: false } as unknown as ReadAnswer;
  const queue = {
    async read(_: string, job: AnswerJob, ask: Ask) {
      await work(job, ask);
      // Other tests check how the result is read.
      return read;
    },
    close() {},
  };
  const secrets = [{ text: "a secret of 21 letters", ignoreCase: false, ofRow: true }];
  const mask = { sealer, listSecrets: () => secrets };
  const limits = { isMaskingEnabled: true, resultBytesMax: 1000, auditBytesMax: 100 };
  const answer = new LargeAnswer({ text: "null", parts });
  return { read, answered: await sealLargeAnswer(queue, { userId: "u", mask, ...limits }, answer) };
}

/** Counts the turns of the event loop during some work. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const tick = () => {
    turns += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isOver = true;
  return turns;
}

test("The tokens of users and rows are made and checked in the order of the request", async () => {
  const { read, answered } = await seal([], async (_, ask) => {
    const questions = {
      seal: [
        { text: "abc", ofRow: false },
        { text: "abcd", ofRow: true },
      ],
      genuine: ["good one", "bad one"],
    };
    expect(await ask(questions)).toEqual({ tokens: ["user 3", "row 4"], genuine: [true, false] });
  });
  expect(answered).toBe(read);
});

test.each([
  ["sealing", { seal: Array(64).fill({ text: "x".repeat(63 * 1024), ofRow: false }), genuine: [] }],
  [
    "sealing many short texts",
    { seal: Array(2048).fill({ text: "x", ofRow: false }), genuine: [] },
  ],
  ["checking tokens", { seal: [], genuine: Array(64).fill("x".repeat(63 * 1024)) }],
])("The event loop keeps turning while a large answer causes much work: %s", async (_, questions) => {
  await seal([], async (_job, ask) => {
    expect(await countTurns(() => ask(questions))).toBeGreaterThanOrEqual(60);
  });
});

test("A text is cut to the size of one answer plus the longest form of a secret", async () => {
  const mebibyte = 1024 * 1024;
  const contents = ["x".repeat(12 * mebibyte), "short", "y".repeat(14 * mebibyte)];
  const parts = contents.map((content, at) => ({ path: [at], content }));
  await seal(parts, async ({ parts: kept, text, secrets }) => {
    expect([text, secrets.length]).toEqual(["null", 1]);
    const lengths = kept.map((part) => ("text" in part ? part.text.length : -1));
    const share = Math.floor((16 * mebibyte - 5) / 2);
    expect(kept).toMatchObject([
      { path: [0], bytesMax: share, chars: 12 * mebibyte },
      { path: [1], text: "short", chars: 5 },
      { path: [2], bytesMax: share, chars: 14 * mebibyte },
    ]);
    const [first = 0, second, third = 0] = lengths;
    expect(second).toBe(5);
    for (const length of [first, third]) expect(length).toBeWithin(share + 22, share + 10_000);
  });
});
