import { expect, test } from "bun:test";
import type { LargePart } from "../../lib/write-json.ts";
import type { AnswerJob, Questions, ReadAnswer, Replies } from "./answer-job.ts";
import { LargeAnswer, sealLargeAnswer } from "./large-answers.ts";

type Ask = (questions: Questions) => Promise<Replies>;

/** Seals an answer at a desk that does what the test says. */
async function seal(parts: LargePart[], work: (job: AnswerJob, ask: Ask) => Promise<void>) {
  const sealer = {
    seal: (text: string, ofRow: boolean) => `${ofRow ? "row" : "user"} ${text.length}`,
    isGenuine: (token: string) => token.startsWith("good"),
  };
  const read = { text: "null", auditText: "null", isAuditCut: false } as unknown as ReadAnswer;
  const desk = {
    async read(_: string, job: AnswerJob, ask: Ask) {
      await work(job, ask);
      // What is read of it is for others to test.
      return read;
    },
    close() {},
  };
  const secrets = [{ text: "a secret of 21 letters", ignoreCase: false, ofRow: true }];
  const mask = { sealer, listSecrets: () => secrets };
  const limits = { isMaskingEnabled: true, resultBytesMax: 1000, auditBytesMax: 100 };
  const answer = new LargeAnswer({ text: "null", parts });
  return { read, answered: await sealLargeAnswer(desk, { userId: "u", mask, ...limits }, answer) };
}

/** Counts the turns that others have on the event loop while something is done. */
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

test("tokens are made for the user or the row, and looked at, in the order asked for", async () => {
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
  ["looking at tokens", { seal: [], genuine: Array(64).fill("x".repeat(63 * 1024)) }],
])("others have their turns on the event loop while a large answer asks for much: %s", async (_, questions) => {
  await seal([], async (_job, ask) => {
    expect(await countTurns(() => ask(questions))).toBeGreaterThanOrEqual(60);
  });
});

test("texts are cut to what is read of one answer and the longest form of a secret more", async () => {
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
