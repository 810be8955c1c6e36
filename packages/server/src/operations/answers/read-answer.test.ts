import { describe, expect, test } from "bun:test";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createMask } from "../../secrets/masks/mask.ts";
import type { AnswerJob, JobPart, Questions } from "./answer-job.ts";
import { readAnswer } from "./read-answer.ts";

const ring = createKeyRing([new Uint8Array(32).fill(7)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const secret = "s3cr3t-0f-the-user";

function toJob(parts: Partial<AnswerJob>): AnswerJob {
  return {
    text: "null",
    parts: [],
    secrets: [{ text: secret, ignoreCase: false, ofRow: false }],
    isMaskingEnabled: true,
    resultBytesMax: 10_000,
    auditBytesMax: 2_000,
    ...parts,
  };
}

/** Reads an answer with a real sealer. Counts the questions. */
async function read(parts: Partial<AnswerJob>) {
  const { sealer } = createMask({ ring, userId, enabled: true });
  const asked: Questions[] = [];
  const answer = await readAnswer(toJob(parts), async (questions) => {
    asked.push(questions);
    return {
      tokens: questions.seal.map(({ text, ofRow }) => sealer.seal(text, ofRow)),
      genuine: questions.genuine.map((token) => sealer.isGenuine(token)),
    };
  });
  return { ...answer, asked };
}

const body = (text: string, kind: "json" | "maybe-json" | "text" = "json"): JobPart => ({
  path: [],
  bytes: Buffer.from(text),
  form: { kind },
});

describe("a large answer", () => {
  test("The parts of a large answer are put at their paths, also below a __proto__ key", async () => {
    const { text } = await read({
      text: '{"status":200,"__proto__":{"body":null},"list":[1,null]}',
      parts: [
        { ...body('{"a":9007199254740993,"__proto__":{"b":1}}'), path: ["__proto__", "body"] },
        { text: "long", bytesMax: 100, chars: 4, path: ["list", 1] },
      ],
    });
    expect(text).toBe(
      '{"status":200,"__proto__":{"body":{"a":9007199254740993,"__proto__":{"b":1}}},"list":[1,"long"]}',
    );
    expect(({} as { b?: number }).b).toBeUndefined();
  });

  test("A large answer is sealed with tokens from the thread that has the keys, each requested once", async () => {
    const value = Array.from({ length: 50 }, (_, id) => ({ id, text: `Bearer ${secret}` }));
    const { text, auditText, asked } = await read({ parts: [body(JSON.stringify(value))] });
    expect(text).not.toContain(secret);
    expect(auditText).not.toContain(secret);
    expect(asked).toEqual([{ seal: [{ text: secret, ofRow: false }], genuine: [] }]);
    expect(JSON.parse(text)).toEqual(value.map(({ id, text }) => ({ id, text: sealed(text) })));
  });

  test("A genuine token is kept, and a secret inside a fake token is sealed", async () => {
    const token = createMask({ ring, userId, enabled: true }).sealer.seal(`${secret}!`, false);
    const forged = `${token.slice(0, -30)}${secret}${"A".repeat(12)}`;
    const { text } = await read({ parts: [body(JSON.stringify({ token, forged }))] });
    expect(JSON.parse(text).token).toBe(token);
    expect(text).not.toContain(secret);
  });

  test("No cut leaves a part of a secret, wherever the cut falls", async () => {
    for (let shift = 0; shift < secret.length + 4; shift += 1) {
      const value = `${"x".repeat(9_200 + shift)}${secret}${"y".repeat(90_000)}`;
      for (const parts of [
        [body(JSON.stringify(value))],
        [{ path: [], text: value.slice(0, 9_300), bytesMax: 9_222, chars: value.length }],
      ]) {
        const { text, auditText } = await read({ parts });
        for (const one of [text, auditText]) expect(one).not.toContain(secret.slice(0, 6));
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000);
        expect(JSON.parse(text)._truncated.cuts[0].of).toBeGreaterThan(90_000);
      }
    }
  });

  test("No cut leaves a part of a secret in a list of bytes", async () => {
    for (let shift = 0; shift < secret.length; shift += 1) {
      const bytes = Buffer.from(`${"x".repeat(2_240 + shift * 4)}${secret}${"y".repeat(20_000)}`);
      const { text } = await read({ parts: [body(JSON.stringify(bytes))] });
      const { data } = JSON.parse(text);
      const shown = data.filter((item: unknown) => typeof item === "number");
      expect(Buffer.from(shown).toString()).not.toContain(secret.slice(0, 4));
    }
  });

  test("Only as much as the limit is searched: the rest is cut off before", async () => {
    const value = Array.from({ length: 100_000 }, (_, id) => `${id} ${secret}${id}`);
    const { text, asked } = await read({ parts: [body(JSON.stringify(value))] });
    expect(asked).toHaveLength(1);
    const { cuts, bytes } = JSON.parse(text)._truncated;
    expect(cuts[0]).toEqual({ path: "$", kept: expect.any(Number), of: 100_000 });
    expect(cuts[0].kept).toBeLessThan(1_000);
    expect(bytes).toBeGreaterThan(2_000_000);
  });

  test.each([
    ["eight million nested arrays", "[".repeat(8_000_000), /nested deeper than 256/],
    ["more than a million values", `[${"[],".repeat(1_000_000)}[]]`, /more than 1,000,000 values/],
    ["invalid JSON", "{'a': 1}", /invalid JSON/],
  ])("An answer is refused before it is parsed: %s", async (_, text, message) => {
    await expect(read({ parts: [body(text)] })).rejects.toMatchObject({
      code: "upstream_error",
      message: expect.stringMatching(message),
    });
  });

  test("A server's text that is not JSON stays text", async () => {
    const { text } = await read({ parts: [body(`{broken ${secret}`, "maybe-json")] });
    expect(JSON.parse(text)).toBe(`{broken ${sealed(secret)}`);
  });

  test("An answer that contains a secret in too many forms to be sealed is left out", async () => {
    const mixed = Array.from({ length: 6000 }, (_, at) =>
      [...secret]
        .map((char, bit) => ((at >> bit) & 1 ? `%${char.charCodeAt(0).toString(16)}` : char))
        .join(""),
    );
    const parts = [body(JSON.stringify(mixed))];
    await expect(read({ parts, resultBytesMax: 1_000_000 })).rejects.toThrow(/too many forms/);
  });

  test("An answer that cannot be cut, such as an endless number, is left out", async () => {
    await expect(read({ parts: [body("1".repeat(20_000))] })).rejects.toThrow(/so large/);
  });

  test("With masking off, a large answer is returned unchanged", async () => {
    const { text, asked } = await read({ parts: [body(`["${secret}"]`)], isMaskingEnabled: false });
    expect(text).toBe(`["${secret}"]`);
    expect(asked).toBeEmpty();
  });
});

/** A text in which the secret is replaced by a token for it. */
function sealed(text: string) {
  const { sealer } = createMask({ ring, userId, enabled: true });
  return text.replaceAll(secret, sealer.seal(secret, false));
}
