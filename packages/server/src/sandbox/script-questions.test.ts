/** What the process of a script may ask. It may have been taken over. */
import { describe, expect, test } from "bun:test";
import type { HubFrame, QuestionHeader } from "./question-frames.ts";
import { questionsAtOnceMax, questionsMax, replyBytesMax } from "./script-limits.ts";
import { ScriptQuestions } from "./script-questions.ts";
import type { ScriptQuestion, ScriptReply } from "./script-sandbox.ts";

const done: ScriptReply = { kind: "value", text: "1" };

function openQuestions(
  answer: (question: ScriptQuestion) => Promise<ScriptReply>,
  taken: Promise<void> = Promise.resolve(),
) {
  const sent: Array<{ header: HubFrame; text: string }> = [];
  const questions = new ScriptQuestions({
    answer,
    send(header, body) {
      sent.push({ header, text: Buffer.from(body).toString() });
      return taken;
    },
    firstId: 8,
  });
  const ask = (id: number, body: string | Uint8Array = "{}", more: Partial<QuestionHeader> = {}) =>
    questions.take({
      header: { kind: "call", toolId: "t", id, ...more } as QuestionHeader,
      body: Buffer.from(body),
    });
  return { questions, sent, ask };
}

test("Answers go out as they come, by the id of their question", async () => {
  const ends = new Map<string, (reply: ScriptReply) => void>();
  const { questions, sent, ask } = openQuestions((question) => {
    const { promise, resolve } = Promise.withResolvers<ScriptReply>();
    ends.set(JSON.stringify(question), resolve);
    return promise;
  });
  ask(8, '{"a":1}');
  ask(9, '"words"', { kind: "search" } as Partial<QuestionHeader>);
  expect([...ends.keys()]).toEqual([
    '{"kind":"call","toolId":"t","params":{"a":1}}',
    '{"kind":"search","query":"words"}',
  ]);
  for (const end of [...ends.values()].reverse()) {
    end(done);
    await Promise.resolve();
  }
  await questions.complete();
  expect(sent.map(({ header }) => header)).toEqual([
    { kind: "reply", id: 9, isError: false },
    { kind: "reply", id: 8, isError: false },
  ]);
  expect(questions.count()).toEqual({ begun: 2, ended: 2 });
  expect(questions.nextId).toBe(10);
});

describe("what ends the process", () => {
  const pending = () => new Promise<ScriptReply>(() => {});
  test.each([
    ["an id that was used", 8],
    ["an id that is skipped", 10],
    ["an id of the script before", 7],
    ["a huge id", 2 ** 53 - 1],
  ])("A question with %s", (_, id) => {
    const { ask } = openQuestions(pending);
    ask(8);
    expect(() => ask(id)).toThrow("id that is not the next one");
  });

  test("A sixth question at once", () => {
    const { ask } = openQuestions(pending);
    for (let at = 0; at < questionsAtOnceMax; at += 1) ask(8 + at);
    expect(() => ask(13)).toThrow("too much at once");
  });

  test("A question after five answers that were not read, but not after those that were", async () => {
    const reading = Promise.withResolvers<void>();
    const { ask, questions } = openQuestions(async () => done, reading.promise);
    const askNext = async () => {
      ask(questions.nextId);
      await questions.complete();
    };
    // Of one that was read, the hub may not know yet.
    for (let at = 0; at <= questionsAtOnceMax; at += 1) await askNext();
    expect(() => ask(questions.nextId)).toThrow("without reading its answers");
    reading.resolve();
    await reading.promise;
    await askNext();
    expect(questions.count()).toEqual({ begun: 7, ended: 7 });
  });

  test("More than 200 questions", async () => {
    const { ask, questions } = openQuestions(async () => done);
    for (let at = 0; at < questionsMax; at += 1) {
      ask(8 + at);
      await questions.complete();
    }
    expect(questions.count()).toEqual({ begun: 200, ended: 200 });
    expect(() => ask(208)).toThrow("too often");
  });

  test.each([
    ["params that are no JSON", "{", {}],
    ["params that are no text", new Uint8Array([0x22, 0xff, 0x22]), {}],
    ["params that are too long", `"${"x".repeat(256 * 1024)}"`, {}],
    ["a query that is no text", "[]", { kind: "search" }],
    ["a query that is too long", `"${"x".repeat(10_001)}"`, { kind: "search" }],
  ])("A question with %s", (_, body, more) => {
    const { ask, questions } = openQuestions(pending);
    expect(() => ask(8, body, more as Partial<QuestionHeader>)).toThrow();
    expect(questions.count().begun).toBe(0);
  });
});

describe("what a script is told", () => {
  async function askOnce(body: string, reply: ScriptReply) {
    const asked: ScriptQuestion[] = [];
    const { ask, questions, sent } = openQuestions(async (question) => {
      asked.push(question);
      return reply;
    });
    ask(8, body);
    await questions.complete();
    return { asked, header: sent[0]?.header, error: JSON.parse(sent[0]?.text ?? "null") };
  }

  test("A result may have a fifth of 1 MiB; a larger one is refused with both sizes", async () => {
    const fits = await askOnce("{}", { kind: "value", text: `"${"x".repeat(replyBytesMax - 2)}"` });
    expect(fits.header).toMatchObject({ isError: false });
    const large = await askOnce("{}", {
      kind: "value",
      text: `"${"ü".repeat(replyBytesMax / 2)}"`,
    });
    expect(large.header).toMatchObject({ isError: true });
    expect(large.error).toEqual({
      code: "result_too_large",
      message: expect.stringContaining("The call ended, but its result has 209,716 bytes"),
      bytes: 209_716,
      bytes_max: replyBytesMax,
    });
  });

  test.each([
    ["deep", "[".repeat(65) + "]".repeat(65), "nested deeper than 64 levels"],
    ["large", `[${"0,".repeat(50_000)}0]`, "more than 50,000 values"],
  ])("Params that are too %s make no call", async (_, body, message) => {
    const { asked, error } = await askOnce(body, done);
    expect(asked).toEqual([]);
    expect(error).toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining(message),
    });
  });

  test("An answer that fails in the hub is an error without its reason", async () => {
    const { ask, questions, sent } = openQuestions(() => Promise.reject(new Error("a secret")));
    ask(8);
    await questions.complete();
    expect(sent[0]?.text).not.toContain("a secret");
    expect(JSON.parse(sent[0]?.text ?? "")).toMatchObject({ code: "internal" });
  });
});

test("Nothing is sent after the end, and what is cancelled does not count as ended", async () => {
  const { promise, resolve } = Promise.withResolvers<ScriptReply>();
  const { ask, questions, sent } = openQuestions(() => promise);
  ask(8);
  questions.stop(new Error("over"));
  resolve(done);
  await questions.complete();
  expect(sent).toEqual([]);
  expect(questions.count()).toEqual({ begun: 1, ended: 0 });
});

test("A name of prototypes in params is a member of its own", async () => {
  const asked: ScriptQuestion[] = [];
  const { ask, questions } = openQuestions(async (question) => {
    asked.push(question);
    return done;
  });
  ask(8, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
  await questions.complete();
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(JSON.stringify(asked[0])).toContain('"__proto__":{"polluted":1}');
});
