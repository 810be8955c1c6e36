import { expect, test } from "bun:test";
import { createRemoteSealer } from "./remote-sealer.ts";

test("Each text to seal is requested once per user or row, then known", () => {
  const remote = createRemoteSealer();
  expect(remote.take()).toBeNull();
  const parts = [
    remote.sealer.seal("one", false),
    remote.sealer.seal("one", true),
    remote.sealer.seal("two", false),
    remote.sealer.seal("one", false),
  ];
  // Until the tokens are known, each text has its own placeholder.
  expect(new Set(parts.slice(0, 3)).size).toBe(3);
  const questions = remote.take();
  expect(questions).toEqual({
    seal: [
      { text: "one", ofRow: false },
      { text: "one", ofRow: true },
      { text: "two", ofRow: false },
    ],
    genuine: [],
  });
  expect(remote.take()).toBeNull();
  if (questions === null) return;
  remote.learn(questions, { tokens: ["t1", "t2", "t3"], genuine: [] });
  const { seal, isGenuine } = remote.sealer;
  expect([seal("one", false), seal("one", true), seal("two", false)]).toEqual(["t1", "t2", "t3"]);
  expect(["t1", "t2", "t3"].map(isGenuine)).toEqual([true, true, true]);
  expect(remote.take()).toBeNull();
});

test("The sealer first asks which tokens are genuine. Until then, none is", () => {
  const { sealer, take, learn } = createRemoteSealer();
  sealer.seal("one", false);
  expect([sealer.isGenuine("good"), sealer.isGenuine("bad")]).toEqual([false, false]);
  const questions = take();
  expect(questions).toEqual({ seal: [], genuine: ["good", "bad"] });
  if (questions === null) return;
  learn(questions, { tokens: [], genuine: [true, false] });
  expect([sealer.isGenuine("good"), sealer.isGenuine("bad")]).toEqual([true, false]);
  expect(take()).toBeNull();
});

test("A token of more than 128 KiB is not requested and not genuine", () => {
  const { sealer, take } = createRemoteSealer();
  expect(sealer.isGenuine("x".repeat(128 * 1024 + 1))).toBeFalse();
  expect(take()).toBeNull();
  sealer.isGenuine("x".repeat(128 * 1024));
  expect(take()?.genuine).toHaveLength(1);
});

test("A form of a secret with more than 64 KiB cannot be sealed", () => {
  const { sealer } = createRemoteSealer();
  sealer.seal("x".repeat(64 * 1024), false);
  expect(() => sealer.seal("x".repeat(64 * 1024 + 1), false)).toThrow(
    expect.objectContaining({
      code: "upstream_error",
      message: expect.stringContaining("in too many forms"),
    }),
  );
});

test.each<[string, (remote: ReturnType<typeof createRemoteSealer>, n: number) => void]>([
  ["forms to seal", ({ sealer }, n) => void sealer.seal(`form ${n}`, n % 2 === 0)],
  ["tokens to check", ({ sealer }, n) => void sealer.isGenuine(`token ${n}`)],
])("More than 4,096 %s in one answer are refused, including known ones", (_, ask) => {
  const remote = createRemoteSealer();
  for (let n = 0; n < 4096; n += 1) {
    ask(remote, n);
    if (n !== 1000) continue;
    const questions = remote.take();
    if (questions === null) throw new Error("Nothing was asked.");
    const tokens = questions.seal.map(({ text }) => `token of ${text}`);
    remote.learn(questions, { tokens, genuine: questions.genuine.map(() => false) });
  }
  ask(remote, 0);
  expect(() => ask(remote, 4096)).toThrow("in too many forms");
});
