import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";
import { join } from "node:path";
import { describeStore } from "./store.testsuite.ts";
import { createReusedStores } from "./testing/reused-stores.ts";

const stores = createReusedStores();
afterAll(() => stores.close());

describeStore("SQLite", async () => {
  const { dataDir, store, openAnother, giveBack } = await stores.take();
  return {
    store,
    openAnother,
    makeConflict: () => makeConflict(join(dataDir, "hub.sqlite")),
    remove: giveBack,
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
