/**
 * What an outside system may answer with to keep a hub busy: others are served meanwhile, nothing
 * of the row's secret leaves, and each call ends with an answer or a reason.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { amount, someOf } from "@hub/server/lib/testing/amount.ts";
import { readLastRun } from "./support/audit.ts";
import { hostileShapes, startHostileHost } from "./support/hostile-answers.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const secret = "row-secret-9fK2xQ7vLm4R";
/** Less than by default, so that smaller answers go beyond it. */
const resultBytesMax = 300_000;
const cutBytes = 450_000;
/** Enough to keep a thread busy. */
const largeBytes = 3 * 1024 * 1024;
/** These shapes need so much to go beyond their limit. */
const needAll = new Set(["many_arrays", "many_numbers"]);
const owned = new AsyncDisposableStack();
let host: ReturnType<typeof startHostileHost>;
let hub: RunningHub;
let rowId: string;

beforeAll(async () => {
  host = owned.use(startHostileHost(secret));
  hub = owned.use(await startHub({ env: { HUB_RESULT_BYTES_MAX: String(resultBytesMax) } }));
  const added = await hub.tryCli(
    [
      ...["row", "add", "http", "--label", "Hostile", "--set", `base_url=${host.url}`],
      ...["--set", "auth_mode=bearer", "--secret-env", "token=SECRET", "--json"],
    ],
    { env: { SECRET: secret } },
  );
  rowId = added.json<{ id: string }>().id;
});

afterAll(() => owned.disposeAsync());

async function get(path: string): Promise<{ isError: boolean; text: string }> {
  const args = { tool_id: `conn:${rowId}/get`, params: { path } };
  const reply = await postRpc(hub.url, hub.adminToken(), toToolCall("hub_execute", args));
  const { result } = (await reply.json()) as {
    result: { isError?: boolean; content: Array<{ text: string }> };
  };
  return { isError: result.isError === true, text: result.content[0]?.text ?? "" };
}

/** Shapes that end in a failure, with the words that say why. */
const refused: Record<string, RegExp> = {
  nested_arrays: /nested deeper than 256 levels/,
  nested_objects: /nested deeper than 256 levels/,
  many_arrays: /more than 1,000,000 values/,
  many_numbers: /more than 1,000,000 values/,
  secret_variants: /in too many forms/,
  an_error_page: /with 500/,
};

test.each(
  Object.keys(hostileShapes),
)("no answer shows the row's secret, or takes more than its share: %s", async (name) => {
  const large = needAll.has(name) ? largeBytes : cutBytes;
  for (const bytes of amount([1024, large], [1024, 250_000, large])) {
    const { isError, text } = await get(`/${name}/${bytes}`);
    const { response, error_msg: message } = readLastRun(hub.dataDir);
    expect(`${text}${response}${message}`).not.toContain(secret);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(resultBytesMax);
    expect(() => JSON.parse(text)).not.toThrow();
    if (bytes < large) continue;
    if (isError) expect(text).toMatch(refused[name] ?? /never/);
    else expect(refused[name]).toBeUndefined();
  }
});

/** Between requests that ask whether others are served, which take processor time too. */
const pauseMs = 5;

/** Those that took seconds of the event loop when they were read there. */
test.each(
  someOf(2, [
    "json_in_json",
    "many_keys",
    "many_keys_with_secret",
    "secrets_in_list",
    "mixed_escapes",
  ]),
)("while a hostile answer is read, others get theirs: %s", async (name) => {
  const sent = host.sent();
  let isOver = false;
  const answered = get(`/${name}/${largeBytes}`).finally(() => {
    isOver = true;
  });
  await sent;
  let served = 0;
  while (!isOver) {
    const health = await fetch(`${hub.url}/health`);
    expect(health.ok).toBeTrue();
    // What is answered after the call only shows that it has ended.
    if (!isOver) served += 1;
    await Bun.sleep(pauseMs);
  }
  await answered;
  // A blocked event loop answers at most the request that arrived before.
  expect(served).toBeGreaterThan(2);
});
