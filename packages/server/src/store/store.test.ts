import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClosers } from "../lib/closers.ts";
import { openStore } from "./open-store.ts";
import { describeStore } from "./store.testsuite.ts";

describeStore("SQLite", async () => {
  const closers = createClosers();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-store-"));
  closers.add(() => rm(dataDir, { recursive: true }));
  const openAnother = async () => {
    const store = await openStore({ dataDir });
    closers.add(() => store.close());
    return store;
  };
  return { store: await openAnother(), openAnother, remove: () => closers.closeAll() };
});
