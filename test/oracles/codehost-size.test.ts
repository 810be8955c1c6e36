/** The size of the lists of the connector `codehost`, compared with the host's answers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
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

setDefaultTimeout(180_000);

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
  const token = "ghp_q7Xw3ZtK9vLm5RnB8yPd2HcF6sJg4UeA1oTz";
  ({ run } = await codehost.addRow({ label: "Code", baseUrl: host.url, token }));
});
afterAll(() => owned.disposeAsync());

test("Many operations list something", () => expect(lists.length).toBeGreaterThan(15));

test.each(lists)("The result of %s is smaller than the host's answer", async (key) => {
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

test("Lists of pull requests, issues and commits are at most a fifth of the host's answers, as the guide says", async () => {
  const promised = await readGuide();
  const rows = [...sizes].map(([key, { before, after }]) => {
    const times = before / after;
    return { key, before, after, times, promised: promised.get(key) ?? 0 };
  });
  console.log(
    [
      "",
      "| operation | from the host, kB | to the model, kB | times smaller | as the guide says |",
      "|---|---|---|---|---|",
      ...rows.map(
        (row) =>
          `| \`${row.key}\` | ${toKilobytes(row.before)} | ${toKilobytes(row.after)} | ${row.times.toFixed(1)} | ${row.promised} |`,
      ),
      "",
    ].join("\n"),
  );
  expect([...promised.keys()].sort()).toEqual([...lists].sort());
  for (const { key, times, promised } of rows) {
    if (["list_prs", "list_issues", "list_commits"].includes(key)) {
      expect(times, key).toBeGreaterThanOrEqual(5);
    }
    // The guide measured with other items. These are GitHub's examples.
    expect(promised / times, key).toBeLessThan(1.6);
  }
});

/** The factor by which each list is smaller, as the guide says. */
async function readGuide(): Promise<Map<string, number>> {
  const guide = await Bun.file(join(import.meta.dirname, "../../docs/guide/codehost.md")).text();
  const rows = guide.matchAll(/^\| `(\w+)` \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|$/gm);
  return new Map([...rows].map(([, key = "", times]) => [key, Number(times)]));
}

/** The documented list with the measured number of items. */
function fillList(example: Json): Json {
  if (Array.isArray(example)) return varyItems(example, itemCount);
  if (!isJsonObject(example)) throw new Error("The example is not a list.");
  const entries = Object.entries(example).map(([name, value]) =>
    Array.isArray(value) ? [name, varyItems(value, itemCount)] : [name, value],
  );
  return { ...Object.fromEntries(entries), total_count: itemCount };
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
