import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Json, toJsonText } from "@hub/connector";
import { codehost } from "./connector.ts";
import { startFakeHost } from "./fixtures/fake-host.fixture.ts";
import { buildList, itemBuilders } from "./fixtures/realistic-lists.fixture.ts";

const itemCount = 30;
const guide = join(import.meta.dirname, "../../../docs/guide/codehost.md");

type Cost = { key: string; before: number; after: number };

async function measure(key: string): Promise<Cost> {
  const body = buildList(key, itemCount);
  await using host = startFakeHost(() => ({ body }));
  const result = await host.run(key, toParams(key));
  return { key, before: countBytes(body), after: countBytes(result) };
}

const countBytes = (value: Json) => Buffer.byteLength(toJsonText(value));

function toParams(key: string): Record<string, Json> {
  const given: Record<string, Json> = { owner: "octocat", repo: "hello-world", number: 12, q: "x" };
  const fields = codehost.operations.get(key)?.inputFields ?? [];
  const required = fields.filter((field) => field.required).map((field) => field.key);
  return Object.fromEntries(required.map((name) => [name, given[name]]));
}

const toKilobytes = (bytes: number) => (bytes / 1000).toFixed(1);

function toRow({ key, before, after }: Cost): string {
  const times = (before / after).toFixed(1);
  return `| \`${key}\` | ${toKilobytes(before)} | ${toKilobytes(after)} | ${times} |`;
}

test("The guide's table of list sizes shows the measured sizes", async () => {
  const lists = [...codehost.operations.keys()].filter((key) => /^(list|search)_/.test(key));
  expect(Object.keys(itemBuilders).sort()).toEqual(lists.sort());
  const costs = await Promise.all(Object.keys(itemBuilders).map(measure));
  const text = await Bun.file(guide).text();
  const rows = text.split("\n").filter((line) => /^\| `\w+` \| [\d.]+ \|/.test(line));
  expect(rows).toEqual(costs.map(toRow));
  for (const { key, before, after } of costs) {
    if (/^list_(prs|issues|commits)$/.test(key)) expect(before / after).toBeGreaterThanOrEqual(5);
  }
});
