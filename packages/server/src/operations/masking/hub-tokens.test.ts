/** Protects: no token that the hub makes stands in a record, of whichever kind it is. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { hubTokenKinds } from "@hub/contract/hub-token-kinds.ts";
import { Glob } from "bun";
import { createHubToken } from "../../lib/create-hub-token.ts";
import {
  containsHubToken,
  containsRemovedToken,
  dropHubTokens,
  removeHubTokens,
} from "./hub-tokens.ts";

test.each([
  ...hubTokenKinds,
])("A token of the kind %s is found and removed, of either length", (kind) => {
  for (const bytes of [16, 32]) {
    const token = createHubToken(kind, { bytes });
    expect(containsHubToken({ note: [`use ${token}`] })).toBeTrue();
    const removed = removeHubTokens(`use ${token} here`);
    expect(removed).toBe(`use hub_${kind}_[removed] here`);
    expect(containsRemovedToken(removed)).toBeTrue();
    expect(dropHubTokens(`use ${token} here`).split(/ +/)).toEqual(["use", "here"]);
  }
});

test("Tokens of the hub are made in one place, so all of them have a known kind", async () => {
  const sources = join(import.meta.dir, "../../../..");
  const makers: string[] = [];
  for await (const path of new Glob("{server,cli,connector,contract}/src/**/*.ts").scan(sources)) {
    if (/\.test(?:suite)?\.ts$|\/testing\//.test(path)) continue;
    const text = await Bun.file(join(sources, path)).text();
    if (/`hub_(?:[a-z]+_)?\$\{[^`]*(?:random|hex|kind)/.test(text)) makers.push(path);
  }
  expect(makers).toEqual(["server/src/lib/create-hub-token.ts"]);
});
