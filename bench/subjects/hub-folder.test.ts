import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { send } from "../load/send.ts";
import type { Bench } from "../measure.ts";
import { createHubFolder } from "./hub-folder.ts";
import { startHub } from "./hub-program.ts";
import { findWhoami } from "./whoami.ts";

test("The bench makes the hub that it measures", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-bench-"));
  const bench: Bench = {
    plan: { rounds: 1, seconds: 1, starts: 1, auditRows: 1 },
    createFolder: async () => folder,
    profileFolder: null,
    say: () => {},
  };
  const { dataDir, token } = await createHubFolder(bench, { httpRows: 1, auditRows: 1 });
  await using hub = await startHub(bench, dataDir);
  const { request, expectedBody } = await findWhoami({ url: hub.url, token });
  expect(await send(request)).toBe(expectedBody);
  await rm(folder, { recursive: true });
});
