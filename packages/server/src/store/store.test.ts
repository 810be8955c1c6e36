import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "./open-store.ts";
import { describeStore } from "./store.testsuite.ts";

describeStore("SQLite", async () => {
  const resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-store-"));
  resources.defer(() => rm(dataDir, { recursive: true }));
  const openAnother = async () => {
    const store = await openStore({ dataDir });
    resources.defer(() => store.close());
    return store;
  };
  return { store: await openAnother(), openAnother, remove: () => resources.disposeAsync() };
});
