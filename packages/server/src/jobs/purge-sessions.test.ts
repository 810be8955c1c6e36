import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newUser } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { insertSession, listSessions } from "../store/users/sessions-table.ts";
import { insertUser } from "../store/users/users-table.ts";
import { createSessionPurgeJob } from "./purge-sessions.ts";

test("Expired and ended sessions are deleted, usable ones are kept", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-test-"));
  const store = await openTestStore({ dataDir });
  try {
    const { db } = store;
    const { id: userId } = await insertUser(db, newUser());
    const add = (id: string, lastSeenAt: number, expiresAt: number) =>
      insertSession(db, {
        id,
        userId,
        createdAt: 0,
        lastSeenAt,
        expiresAt,
        ipAddress: "198.51.100.9",
        userAgent: null,
        tokenHash: new TextEncoder().encode(id),
      });
    await add("used", 991, 1001);
    await add("expired", 1000, 1000);
    await add("idle", 990, 2000);
    await createSessionPurgeJob({ db, now: () => 1000, idleMsMax: 10 }).run();
    expect((await listSessions(db)).map(({ id }) => id)).toEqual(["used"]);
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true });
  }
});
