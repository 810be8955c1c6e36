import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { craftPlugin, writePluginFolder } from "../testing/craft-plugin.ts";
import { openSharedBench } from "../testing/open-shared-bench.ts";
import { openTrust, testHubVersion, testPlatform } from "../testing/open-test-plugin-host.ts";
import { storePluginsOfFolder } from "./store-folder.ts";

let bench: Awaited<ReturnType<typeof openSharedBench>>;
beforeEach(async () => {
  bench = await openSharedBench();
});
afterEach(() => bench.close());

const verify = {
  trust: openTrust,
  hostPlatform: testPlatform,
  hubVersion: testHubVersion,
  reservedKeys: new Set<string>(),
};

test("The plugins of a folder become those of all servers, also when it runs again", async () => {
  const alone = bench.openServer("alone", { keepsInDatabase: false });
  await alone.install(craftPlugin());
  const byHand = join(alone.dataDir, "plugins", "other");
  await writePluginFolder(byHand, craftPlugin({ key: "other" }));
  await writePluginFolder(join(alone.dataDir, "plugins", "wrong"), craftPlugin());
  const deps = { db: bench.db, verify, now: Date.now };
  for (let runs = 0; runs < 2; runs += 1) {
    const outcome = await storePluginsOfFolder(deps, { dataDir: alone.dataDir, by: "copy" });
    expect(outcome).toEqual({
      stored: ["other", "tracker"],
      refused: [{ key: "wrong", reason: expect.stringContaining("check: key") }],
    });
  }
  const server = bench.openServer("server");
  await server.host.follow();
  expect(server.listKeys()).toEqual(["other", "tracker"]);
  // The source goes along: an archive from elsewhere needs `replace`.
  await server.install(craftPlugin({ manifest: { version: "1.1.0" } }));
  expect(await server.findVersion()).toBe("1.1.0");
});
