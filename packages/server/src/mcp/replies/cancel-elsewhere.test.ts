import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listRequestCancellations } from "../../store/servers/request-cancellations.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { until } from "../testing/until.ts";
import { createCancelElsewhere } from "./cancel-elsewhere.ts";

async function openStage(isBroken = false) {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-cancel-"));
  const store = await openTestStore({ dataDir });
  const sent: string[] = [];
  const warnings: unknown[] = [];
  const send = async (name: string) => void sent.push(name);
  if (isBroken) await store.close();
  const cancel = createCancelElsewhere({
    db: store.db,
    signals: { send },
    log: { warn: (...parts: unknown[]) => warnings.push(parts) },
    now: () => 0,
  });
  return {
    cancel: (id: string, owner = "ada") => cancel({ owner, session: "s", id }),
    list: () => listRequestCancellations(store.db),
    sent,
    warnings,
    async [Symbol.asyncDispose]() {
      if (!isBroken) await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

test("The cancellation of a request is written, then announced", async () => {
  await using stage = await openStage();
  stage.cancel("7");
  await until(() => stage.sent.length > 0);
  expect(stage.sent).toEqual(["cancel"]);
  expect(await stage.list()).toMatchObject([{ userId: "ada", sessionId: "s", requestId: "7" }]);
});

test("A user announces sixty a minute at most, none with a long id, and does not limit others", async () => {
  await using stage = await openStage();
  stage.cancel("x".repeat(129));
  for (let id = 0; id < 200; id += 1) stage.cancel(String(id));
  stage.cancel("of ben", "ben");
  await until(() => stage.sent.length === 61);
  const users = (await stage.list()).map(({ userId }) => userId);
  expect([users.length, users.filter((id) => id === "ben").length]).toEqual([61, 1]);
});

test("A cancellation that cannot be written is logged", async () => {
  await using stage = await openStage(true);
  stage.cancel("7");
  await until(() => stage.warnings.length > 0);
  expect(stage.sent).toEqual([]);
});
