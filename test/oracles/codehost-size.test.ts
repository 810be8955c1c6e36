/** How much of a model's context the lists of the connector `codehost` take, beside what the host sends. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { isJsonObject, type Json } from "@hub/connector";
import {
  type CodehostHub,
  type RunOperation,
  startCodehostHub,
} from "../support/codehost/codehost-hub.ts";
import { describedRequests } from "../support/codehost/described-requests.ts";
import { operationCases } from "../support/codehost/operation-cases.ts";
import { type RecordingHost, startRecordingHost } from "../support/recording-host.ts";
import { type Description, readDescription } from "./support/github-description.ts";
import { varyItems } from "./support/vary-items.ts";

setDefaultTimeout(120_000);

const itemCount = 30;
const lists = Object.keys(operationCases).filter((key) => /^(list|search)_/.test(key));

const owned = new AsyncDisposableStack();
let description: Description;
let host: RecordingHost;
let codehost: CodehostHub;
let run: RunOperation;
const sizes = new Map<string, { before: number; after: number }>();

beforeAll(async () => {
  description = await readDescription("api.github.com", describedRequests);
  host = owned.use(await startRecordingHost(() => ({ status: 500 })));
  codehost = owned.use(await startCodehostHub());
  const token = "ghp_size0123456789abcdefghijklmnopqrst";
  ({ run } = await codehost.addRow({ label: "Code", baseUrl: host.url, token }));
});
afterAll(() => owned.disposeAsync());

test.each(lists)("%s is smaller than what the host sends", async (key) => {
  const call = operationCases[key]?.minimal;
  const [sends] = call?.sends ?? [];
  if (call === undefined || sends === undefined) throw new Error(`There is no operation ${key}.`);
  const request = description.findRequest(sends.method, sends.path);
  const body = fillList(description.findAnswer(request ?? "").body ?? null);
  host.answerBy(() => ({ body }));
  const answer = await run(key, call.given);
  expect(answer.isError, answer.text).toBe(false);
  expect(answer.value.items).toHaveLength(itemCount);
  const before = Buffer.byteLength(JSON.stringify(body));
  const after = Buffer.byteLength(answer.text);
  sizes.set(key, { before, after });
  expect(after).toBeLessThan(before);
});

test("pull requests, issues and commits take a fifth at most", () => {
  const rows = [...sizes].map(([key, { before, after }]) => {
    const times = (before / after).toFixed(1);
    return `| \`${key}\` | ${toKilobytes(before)} | ${toKilobytes(after)} | ${times}× |`;
  });
  console.log(
    [
      "",
      "| operation | from the host, kB | to the model, kB | smaller |",
      "|---|---|---|---|",
      ...rows,
      "",
    ].join("\n"),
  );
  for (const key of ["list_prs", "list_issues", "list_commits"]) {
    const { before, after } = sizes.get(key) ?? { before: 0, after: 1 };
    expect(before / after, key).toBeGreaterThanOrEqual(5);
  }
});

/** The documented list with as many items as are measured. */
function fillList(example: Json): Json {
  if (Array.isArray(example)) return varyItems(example, itemCount);
  if (!isJsonObject(example)) throw new Error("The example is no list.");
  const entries = Object.entries(example).map(([name, value]) =>
    Array.isArray(value) ? [name, varyItems(value, itemCount)] : [name, value],
  );
  return { ...Object.fromEntries(entries), total_count: itemCount };
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
