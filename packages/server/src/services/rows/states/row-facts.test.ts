import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usesOAuth } from "../../../bridges/mcp/oauth/connect-target.ts";
import { httpConnector } from "../../../connectors/builtin/http/http-connector.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { findRow, insertRow } from "../../../store/rows/rows-table.ts";
import { newRow } from "../../../store/test-data.ts";
import { openTestStore } from "../../../store/testing/open-test-store.ts";
import { toFacts } from "./row-facts.ts";

test("Only a row whose access is shared needs a sign-in of its own", async () => {
  await using owned = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-facts-"));
  owned.defer(() => rm(dataDir, { recursive: true }));
  const store = await openTestStore({ dataDir });
  owned.defer(() => store.close());
  const connector = {
    ...createLocalConnector(httpConnector, () => ({})),
    needsConnection: usesOAuth,
  };
  const values = [{ key: "auth_mode", value: "oauth", sealed: null }];
  const lacks = async (access: "shared" | "own" | "own_else_shared") => {
    const { id } = await insertRow(store.db, newRow({ access, values }));
    const row = await findRow(store.db, id);
    if (row === null) throw new Error("The row is not stored.");
    return toFacts({ find: () => connector }, row, new Map()).lacksConnection;
  };
  expect(await lacks("shared")).toBe(true);
  expect(await lacks("own")).toBe(false);
  expect(await lacks("own_else_shared")).toBe(false);
});
