/** Protects: searches by meaning send texts and queries only, no secret and no key but to the endpoint. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  serveEmbeddings,
  type TestEmbeddings,
} from "@hub/server/embeddings/testing/serve-embeddings.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { connectHttp } from "./support/connect-sdk-2.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const key = "sk-the-key-of-the-endpoint";
const secret = "correct-horse-battery";

const owned = new AsyncDisposableStack();
let server: TestEmbeddings;
let hub: RunningHub;
let rowId: string;

beforeAll(async () => {
  server = serveEmbeddings();
  owned.defer(() => server.stop());
  server.answerWith(() => new Response("", { status: 503 }));
  hub = owned.use(
    await startHub({
      env: {
        HUB_EMBEDDINGS_URL: server.url,
        HUB_EMBEDDINGS_MODEL: "test",
        HUB_EMBEDDINGS_KEY: key,
      },
    }),
  );
  const added = await hub.tryCli(
    [
      ...["row", "add", "http", "--label", "Billing", "--json"],
      ...["--set", "base_url=https://chat.example.com", "--set", "auth_mode=bearer"],
      ...["--secret-env", "token=CHAT_TOKEN"],
    ],
    { env: { CHAT_TOKEN: secret } },
  );
  rowId = added.json<{ id: string }>().id;
});
afterAll(() => owned.disposeAsync());

async function search(query: string): Promise<Array<{ tool_id: string }>> {
  await using client = await connectHttp(hub.url, hub.adminToken());
  return (await client.call("hub_search", { query })).value.tools;
}

/** The report of `hub doctor` as text, and its check of the embeddings. */
async function examine() {
  const { stdout, json } = await hub.tryCli(["doctor", "--json"]);
  const { checks } = json<{ checks: Array<{ name: string; message: string }> }>();
  return { text: stdout, check: checks.find(({ name }) => name === "embeddings")?.message ?? "" };
}

test("While the endpoint fails, searches compare words, and hub doctor names the failure", async () => {
  await waitFor(() => server.requests.length > 0);
  expect(await search("payment")).toEqual([]);
  const { check } = await waitFor(async () => {
    const report = await examine();
    return report.check.includes("status 503") && report;
  });
  expect(check).toMatch(/^test at 127\.0\.0\.1:\d+, 0 of \d+ texts have a vector\./);
});

test("Once vectors are there, searches find operations by meaning", async () => {
  server.answerWith(null);
  // The vectors come in portions, those of other rows perhaps first.
  await waitFor(async () => {
    const [found] = await search("payment");
    return found?.tool_id.startsWith(`conn:${rowId}/`);
  });
  const { check } = await waitFor(async () => {
    const report = await examine();
    return /(\d+) of \1 texts have a vector/.test(report.check) && report;
  });
  expect(check).not.toContain(" 0 of");
  const metrics = await (await fetch(`${hub.url}/metrics`)).text();
  expect(metrics).toMatch(/^hub_embedding_vectors [1-9]/m);
});

test("A query leaves without tokens and without the secrets of rows", async () => {
  server.requests.length = 0;
  const base64 = Buffer.from(secret).toString("base64");
  await search(`a long talk ${hub.adminToken()} ${secret} ${base64}`);
  const received = server.received();
  expect(received.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual(["a long talk"]);
});

test("The key goes to the endpoint only: not to the log, the settings and hub doctor", async () => {
  expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
    new Set([`Bearer ${key}`]),
  );
  const { text } = await examine();
  expect(text).toContain("HUB_EMBEDDINGS_KEY");
  const settings = await hub.cli("setting", "list");
  for (const output of [text, settings.stdout, hub.stdout(), hub.stderr()]) {
    expect(output).not.toContain(key);
  }
});

nightlyTest("After a restart no text is sent again", async () => {
  const { dataDir } = hub;
  server.requests.length = 0;
  await using other = await startHub({
    dataDir,
    env: { HUB_EMBEDDINGS_URL: server.url, HUB_EMBEDDINGS_MODEL: "test" },
  });
  await waitFor(async () => {
    const metrics = await (await fetch(`${other.url}/metrics`)).text();
    return /^hub_embedding_vectors [1-9]/m.test(metrics);
  });
  expect(server.requests).toEqual([]);
});

test("A hub stops while a request is open", async () => {
  server.answerWith(() => new Promise(() => {}));
  await hub.cli("row", "set", rowId, "--label", "Renamed chat");
  await search("something else");
  expect(await hub.stop()).toBe(0);
  expect(hub.stderr()).not.toContain("nhandled");
});

test.each([
  ["http://embeddings.example.com/v1", "HUB_EMBEDDINGS_URL must be an https address"],
  ["https://user:pass@embeddings.example.com/v1", "HUB_EMBEDDINGS_URL must be an https address"],
  ["", "Embeddings need both HUB_EMBEDDINGS_URL and HUB_EMBEDDINGS_MODEL"],
])("With HUB_EMBEDDINGS_URL=%s a command says what is wrong", async (url, message) => {
  const env = { HUB_EMBEDDINGS_URL: url, HUB_EMBEDDINGS_MODEL: "test" };
  const { exitCode, stderr } = await hub.tryCli(["doctor"], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
});

test("An unusable key stops the start, and is not shown", async () => {
  const env = { HUB_EMBEDDINGS_KEY: "two words" };
  const { exitCode, stderr } = await hub.tryCli(["doctor"], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("HUB_EMBEDDINGS_KEY must be printable ASCII");
  expect(stderr).not.toContain("two words");
});
