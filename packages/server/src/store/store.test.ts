import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "./store.testsuite.ts";
import { openTestStore } from "./testing/open-test-store.ts";

describeStore("SQLite", async () => {
  const resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-store-"));
  resources.defer(() => rm(dataDir, { recursive: true }));
  const openAnother = async () => {
    const store = await openTestStore({ dataDir });
    resources.defer(() => store.close());
    return store;
  };
  return {
    store: await openAnother(),
    openAnother,
    makeConflict: () => makeConflict(join(dataDir, "hub.sqlite")),
    remove: () => resources.disposeAsync(),
  };
});

/** A transaction read, another connection wrote, and now the transaction wants to write. */
function makeConflict(path: string): unknown {
  using reader = new Database(path);
  using writer = new Database(path);
  reader.run("begin");
  reader.query("select value from revision").get();
  writer.run("update revision set value = value + 1");
  try {
    reader.run("update revision set value = value + 1");
  } catch (failure) {
    return failure;
  }
  throw new Error("The two connections did not conflict.");
}
