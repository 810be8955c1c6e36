/**
 * Protects: through an echo of the outside system, a caller guesses a row's secret only as often as the limit says. The limit is 300
 * guesses, and in `.ci/nightly` that of a hub.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { defineConnector, toJsonText, wick } from "@hub/connector";
import type { HubError } from "../../errors.ts";
import { amount } from "../../lib/testing/amount.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";

const perHour = amount(300, 1_000);
const weak = "482913";
const strong = "9fK2xQ7vLm4RzW8pT3sY";

let echoed: unknown[] = [];

const echo = defineConnector({
  key: "echo",
  name: "Echo",
  icon: "box",
  tier: "builtin",
  description: "Returns what it gets.",
  config: { Token: wick("secret") },
  operations: {
    echo: {
      description: "Returns what it gets.",
      input: { Data: wick.json(), Password: wick("secret"), Choice: wick("picker=choices") },
      run: ({ params }) => {
        echoed.push(params.Data ?? params.Password);
        return params;
      },
    },
  },
  lookup: ({ query }) => {
    echoed.push(query);
    return [{ id: query, name: query }];
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;

beforeAll(async () => {
  hub = await openTestOperations(echo, { guessesPerHour: perHour });
});

afterAll(() => hub.close());

beforeEach(async () => {
  echoed = [];
  rowId = await hub.addRow({ tags: ["team"], label: "Desk", secrets: { token: weak } });
});

const send = (params: Record<string, unknown>, userId = testUserId) =>
  hub.operations.calls.call(toTestCall(["team"], { caller: { userId } }), {
    toolId: `conn:${rowId}/echo`,
    params,
  });

const refused = (promise: Promise<unknown>): Promise<HubError> =>
  promise.then(
    () => Promise.reject(new Error("The call was not refused")),
    (err: HubError) => err,
  );

/** Guesses that differ in all their characters, as an attacker numbers them. */
const toGuess = (index: number) => String(100_000 + index * 7);

/** Sends portions until a call is refused. Returns the guesses that were echoed. */
async function countEchoed(
  toParams: (guesses: string[]) => Record<string, unknown>,
  portion: number,
): Promise<number> {
  for (let at = 0; ; at += portion) {
    const guesses = Array.from({ length: portion }, (_, index) => toGuess(at + index));
    try {
      await send(toParams(guesses));
    } catch (err) {
      expect(err).toMatchObject({ code: "rate_limited", detail: { budget: "guesses" } });
      return at;
    }
  }
}

const seal = (text: string) =>
  sealValue(hub.ring.current(), { userId: testUserId, rowId: null }, text);

test.each<[string, number, (guesses: string[]) => Record<string, unknown>]>([
  ["in calls of their own", 1, ([guess]) => ({ data: guess })],
  ["between spaces", 50, (guesses) => ({ data: guesses.join(" ") })],
  ["between commas", 50, (guesses) => ({ data: guesses.join(",") })],
  ["without separators", 25, (guesses) => ({ data: guesses.join("") })],
  ["in a list", 50, (guesses) => ({ data: guesses })],
  ["as numbers", 50, (guesses) => ({ data: guesses.map(Number) })],
  ["as names", 50, (guesses) => ({ data: Object.fromEntries(guesses.map((one) => [one, 1])) })],
  ["as JSON in a text", 50, (guesses) => ({ data: toJsonText(guesses) })],
  ["in base64", 25, (guesses) => ({ data: Buffer.from(guesses.join(" ")).toString("base64") })],
  ["in hex", 10, (guesses) => ({ data: Buffer.from(guesses.join(" ")).toString("hex") })],
  ["in own tokens", 25, (guesses) => ({ data: guesses.map(seal) })],
  ["in one own token", 25, (guesses) => ({ data: seal(guesses.join(" ")) })],
  ["in a secret input", 1, ([guess]) => ({ password: guess })],
  [
    "in parts that the outside system joins",
    1,
    ([guess = ""]) => ({
      data: [guess.slice(0, 3), guess.slice(3)],
    }),
  ],
])("Guesses %s are refused at the limit", async (_, portion, toParams) => {
  const count = await countEchoed(toParams, portion);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(perHour);
});

test("Each character of a text without separators is a guess", async () => {
  const digits = Array.from({ length: 0.9 * perHour }, (_, index) => index % 10).join("");
  await send({ data: digits });
  const err = await refused(send({ data: [...digits].reverse().join("") }));
  expect(err.code).toBe("rate_limited");
});

test("Known words in a new order are new guesses", async () => {
  const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
  let pairs = 0;
  const tryAll = async () => {
    for (const first of words) {
      for (const second of words) {
        await send({ data: `${first}-${second}` });
        pairs += 1;
      }
    }
  };
  expect(await refused(tryAll())).toMatchObject({ code: "rate_limited" });
  expect(pairs).toBeLessThanOrEqual(perHour / 2);
});

test("A look-up's query counts with the calls", async () => {
  const tryAll = async () => {
    for (let index = 0; ; index += 1) {
      const query = Array.from({ length: 10 }, (_, at) => toGuess(index * 10 + at)).join(" ");
      await hub.operations.rows.lookUp(toTestCall(["team"]), { rowId, source: "choices", query });
    }
  };
  expect(await refused(tryAll())).toMatchObject({ code: "rate_limited" });
  expect(echoed.length * 10).toBeLessThanOrEqual(perHour);
});

test("The manager's path counts, too", async () => {
  const toolId = `conn:${rowId}/echo`;
  const data = Array.from({ length: perHour / 5 }, (_, index) => toGuess(index));
  const admin = () => toTestCall([], { caller: { role: "admin" } });
  await hub.operations.rows.test(admin(), { toolId, params: { data } });
  const more = data.map((_, index) => toGuess(data.length + index));
  const err = await refused(hub.operations.rows.test(admin(), { toolId, params: { data: more } }));
  expect(err.code).toBe("rate_limited");
});

describe("the refusal", () => {
  test("It is the same for a right guess, and names the row, the reason and the time to wait", async () => {
    await countEchoed((guesses) => ({ data: guesses }), 50);
    const wrong = await refused(send({ data: `777777${"x".repeat(0.9 * perHour)}` }));
    const right = await refused(send({ data: `${weak}${"x".repeat(0.9 * perHour)}` }));
    expect(wrong.message).toContain('"Desk" has a secret that can be guessed');
    expect(wrong.detail).toMatchObject({ retry_after_s: expect.any(Number) });
    expect(right.message.replace(/\d+ s/, "N s")).toBe(wrong.message.replace(/\d+ s/, "N s"));
  });

  test("A call that alone is above the limit is refused before it runs, and says so", async () => {
    const data = Array.from({ length: 2_500 }, (_, index) => toGuess(index)).join(" ");
    expect(await refused(send({ data }))).toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("this call alone has more"),
    });
    expect(echoed).toEqual([]);
  });

  test("Another user and another row have limits of their own", async () => {
    await countEchoed((guesses) => ({ data: guesses }), 50);
    const other = "22222222-2222-4222-8222-222222222222";
    await send({ data: "first words of another user" }, other);
    rowId = await hub.addRow({ tags: ["team"], secrets: { token: weak } });
    await send({ data: "first words to another row" });
  });
});

test("The same call again makes no guess", async () => {
  for (let index = 0; index < perHour; index += 1) await send({ data: "the same words again" });
  expect(echoed.length).toBe(perHour);
});

test("A refused call is not known, so it counts in full when it is sent again", async () => {
  const data = "abcdefghij".repeat(0.09 * perHour);
  await send({ data });
  const more = "klmnopqrst".repeat(0.04 * perHour);
  expect(await refused(send({ data: more }))).toMatchObject({ code: "rate_limited" });
  expect(await refused(send({ data: more }))).toMatchObject({ code: "rate_limited" });
});

test("A row whose secret nobody can guess has no limit", async () => {
  rowId = await hub.addRow({ tags: ["team"], secrets: { token: strong } });
  for (let index = 0; index < 4; index += 1) {
    await send({ data: Array.from({ length: 2_500 }, (_, at) => toGuess(index * 2_500 + at)) });
  }
  expect(echoed.length).toBe(4);
});
