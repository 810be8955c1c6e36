/**
 * Protects: what the hub itself writes about a call does not confirm a guess of a row's secret. The record and
 * the error of a right guess are those of a wrong one, after the same work.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, InvalidInputError, OutboundError, wick } from "@hub/connector";
import type { HubError } from "../../errors.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";

const weak = "hunter22";
const strong = "9fK2xQ7vLm4RzW8pT3sY";

/** The suite tries a tenth of what was tried once: HUB_TEST_GUESS_PAIRS=10000. */
const pairsOfAllWays = Number(process.env.HUB_TEST_GUESS_PAIRS ?? 900);

const desk = defineConnector({
  key: "desk",
  name: "Desk",
  icon: "box",
  tier: "builtin",
  description: "Takes texts.",
  config: { Token: wick("secret"), More: wick("secret") },
  operations: {
    keep: {
      description: "Returns nothing of what it got.",
      input: {
        Text: wick(),
        Password: wick("secret"),
        Mode: wick("dropdown=open|shut"),
        Data: wick.json(),
      },
      run: () => ({ kept: true }),
    },
    refuse: {
      description: "Quotes its input in its own error.",
      input: { Text: wick() },
      run: ({ params }) => {
        throw new InvalidInputError("text", `"${params.Text}" is not accepted`);
      },
    },
    visit: {
      description: "Quotes its input in the error of a request.",
      input: { Text: wick() },
      run: ({ params }) => {
        throw new OutboundError("dns", `No address was found for the host ${params.Text}.`);
      },
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;

beforeAll(async () => {
  hub = await openTestOperations(desk);
});

afterAll(() => hub.close());

const seal = (text: string) =>
  sealValue(hub.ring.current(), { userId: testUserId, rowId: null }, text);

/** Every way to send a guess that the hub may quote. */
const ways: ReadonlyArray<{
  name: string;
  operation: string;
  toParams(guess: string): Record<string, unknown>;
}> = [
  { name: "a value", operation: "keep", toParams: (guess) => ({ text: `is it ${guess}?` }) },
  { name: "a secret input", operation: "keep", toParams: (guess) => ({ password: guess }) },
  { name: "an unknown name", operation: "keep", toParams: (guess) => ({ [guess]: 1 }) },
  { name: "a choice", operation: "keep", toParams: (guess) => ({ mode: guess }) },
  { name: "an own token", operation: "keep", toParams: (guess) => ({ mode: seal(guess) }) },
  {
    name: "a key and base64",
    operation: "keep",
    toParams: (guess) => ({ data: { [guess]: [Buffer.from(`a${guess}`).toString("base64")] } }),
  },
  {
    name: "100 secret inputs",
    operation: "keep",
    toParams: (guess) => ({
      password: [guess, ...Array.from({ length: 98 }, (_, index) => `filler-${index}`)],
    }),
  },
  { name: "an error of the connector", operation: "refuse", toParams: (text) => ({ text }) },
  { name: "an error of a request", operation: "visit", toParams: (text) => ({ text }) },
];

/** A row of this secret, and how often a text was searched for it. */
async function addGuessedRow(secrets: Record<string, string>) {
  const rowId = await hub.addRow({ tags: ["team"], secrets });
  const row = (await hub.directory.current()).find(rowId);
  const found = row?.config().secrets;
  if (found === undefined) throw new Error("The row has no secrets");
  let searches = 0;
  const { needles } = found;
  found.needles = () => {
    searches += 1;
    return needles();
  };
  return { rowId, countSearches: () => searches };
}

/** What the caller sees of a call, without what differs between any two calls. */
async function call(rowId: string, operation: string, params: Record<string, unknown>) {
  let runId = "";
  const onRecord = (id: string) => {
    runId = id;
  };
  const ctx = { ...toTestCall(["team"]), onRecord };
  const request = { toolId: `conn:${rowId}/${operation}`, params };
  const { runId: _, ...answer } = await hub.operations.calls.call(ctx, request).then(
    ({ value, runId }) => ({ value, runId }),
    (err: HubError) => ({ code: err.code, message: err.message, detail: err.detail, runId: "" }),
  );
  return { runId, answer };
}

async function readRecords() {
  const runs = await hub.listRuns(1_000_000);
  const told = ({
    request,
    requestCut,
    response,
    status,
    errorCode,
    errorMsg,
  }: (typeof runs)[number]) =>
    JSON.stringify({ request, requestCut, response, status, errorCode, errorMsg });
  return new Map(runs.map((run) => [run.id, told(run)]));
}

const toWrong = (index: number) => `wrong${String(index).padStart(3, "0")}`;

describe.each(ways)("a guess in $name", ({ operation, toParams }) => {
  test("The record and the error of a right guess are those of a wrong one, after the same work", async () => {
    const { rowId, countSearches } = await addGuessedRow({ token: weak, more: strong });
    const pairs = Math.ceil(pairsOfAllWays / ways.length);
    const ids: [string, string][] = [];
    for (let at = 0; at < pairs; at += 100) {
      const batch = Array.from({ length: Math.min(100, pairs - at) }, async (_, index) => {
        const before = countSearches();
        const wrong = await call(rowId, operation, toParams(toWrong(index)));
        const between = countSearches();
        const right = await call(rowId, operation, toParams(weak));
        return { wrong, right, searches: [between - before, countSearches() - between] };
      });
      for (const { wrong, right } of await Promise.all(batch)) {
        expect(right.answer).toEqual(wrong.answer);
        ids.push([wrong.runId, right.runId]);
      }
    }
    const records = await readRecords();
    for (const [wrong, right] of ids) expect(records.get(right)).toBe(records.get(wrong) as string);
    const [, last] = ids.at(-1) ?? [];
    expect(records.get(last ?? "")).not.toMatch(/hub_enc_\w{9}|wrong\d|hunter/);
    const before = countSearches();
    await call(rowId, operation, toParams("wrong000"));
    const between = countSearches();
    await call(rowId, operation, toParams(weak));
    expect(countSearches() - between).toBe(between - before);
  });
});

test("A secret that nobody can guess is sealed in the record and in the error", async () => {
  const { rowId } = await addGuessedRow({ token: strong });
  const { runId, answer } = await call(rowId, "refuse", { text: strong });
  expect(answer).toMatchObject({
    message: expect.stringMatching(/"hub_enc_[\w-]+" is not accepted/),
  });
  expect((await readRecords()).get(runId)).toMatch(/\\"text\\":\\"hub_enc_/);
});
