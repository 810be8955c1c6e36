/** A hub of an older version, whose database its own program has made, goes on with this one. */
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  layOlderDatabase,
  olderKey,
  shopSecret,
} from "@hub/server/store/testing/older-databases.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { goBackByGuide } from "./support/go-back.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { startHub } from "./support/start-hub.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

testOnSqlite(
  "databaseFile",
  "Tokens and secrets of an older version work, its waiting run goes on, and the guide's way back is complete",
  async () => {
    const paths: string[] = [];
    using shop = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const isKnown = request.headers.get("authorization") === `Bearer ${shopSecret}`;
        if (isKnown) paths.push(new URL(request.url).pathname);
        return Response.json({ ok: isKnown }, { status: isKnown ? 200 : 401 });
      },
    });
    await using folder = await createDataFolder();
    const { token, userToken, row, waitPath } = await layOlderDatabase(folder.path, "8eb9bf3");
    {
      // The port of the time when it was made.
      using database = new Database(join(folder.path, "hub.sqlite"));
      database.run("update row_values set value = ? where field_key = 'base_url'", [
        shop.url.origin,
      ]);
    }
    await using hub = await startHub({
      dataDir: folder.path,
      env: { HUB_ENC_KEY: olderKey, HUB_LOG_LEVEL: "info" },
    });
    for (const each of [token, userToken]) {
      const call = toToolCall("hub_execute", { tool_id: `conn:${row}/get`, params: { path: "/" } });
      expect((await postRpc(hub.url, each, call)).status).toBe(200);
    }
    // It has waited for 15 seconds when it was made.
    await waitFor(() => paths.includes("/waited/Waits"));
    expect(paths.filter((path) => path === "/")).toHaveLength(2);
    const listed = await fetch(`${hub.url}${waitPath}/runs`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(listed.status).toBe(200);
    const [copy = ""] = await readdir(join(folder.path, "upgrade-copies"));
    expect(hub.stderr()).toContain(copy);
    expect(hub.stderr()).toContain("The database was copied before its upgrade");

    await hub.stop();
    await goBackByGuide(folder.path);
    using back = new Database(join(folder.path, "hub.sqlite"));
    expect(back.query("select max(name) as newest from migrations").get()).toEqual({
      newest: "027-trials",
    });
  },
);
