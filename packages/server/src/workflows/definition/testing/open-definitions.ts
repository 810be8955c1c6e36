import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConnector, wick } from "@hub/connector";
import { loadConfig } from "../../../config.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { createConnectorRegistry } from "../../../connectors/registry.ts";
import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import { createRingHolder } from "../../../secrets/keys/ring-holder.ts";
import { createKeyFile, readKeyFile } from "../../../store/data-folder/key-file.ts";
import type { UserRole } from "../../../store/database/tables/user-tables.ts";
import { insertRow, setRowTags } from "../../../store/rows/rows-table.ts";
import { newRow, newUser } from "../../../store/test-data.ts";
import { openTestStore } from "../../../store/testing/open-test-store.ts";
import { insertUser, updateUser } from "../../../store/users/users-table.ts";
import { noChats } from "../../channels/chat-kinds.ts";
import type { DefinitionDeps } from "../definition-deps.ts";
import { actAsUser } from "./act-on-workflows.ts";

const tracker = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "builtin",
  description: "A connector for tests.",
  config: { BaseURL: wick("url") },
  operations: {
    read: { description: "Reads.", run: () => ({}) },
    widget: { description: "Serves a widget.", configOnly: true, run: () => ({ html: "" }) },
  },
});

/** The definitions of workflows on a real database in a temporary folder. */
export async function openDefinitions(env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-definitions-"));
  const { config } = loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir, ...env } });
  const store = await openTestStore({ dataDir });
  const ring = await createRingHolder(async () =>
    createKeyRing((await readKeyFile(dataDir)) ?? (await createKeyFile(dataDir))),
  );
  const registry = createConnectorRegistry();
  registry.register(createLocalConnector(tracker, () => ({})));
  let at = 1_000_000;
  // Every change has a time of its own.
  const now = () => {
    at += 1_000;
    return at;
  };
  const deps: DefinitionDeps = { store, ring, registry, config, now, chats: noChats };
  const { db } = store;
  return {
    deps,
    db,
    /** Adds a user `name@example.com`. */
    async addUser(name: string, given: { role?: UserRole; tags?: string[] } = {}) {
      const user = await insertUser(db, newUser({ email: `${name}@example.com`, ...given }));
      return { id: user.id, verbs: await actAsUser(deps, user.id) };
    },
    disableUser: (id: string) => updateUser(db, id, { status: "disabled" }, now()),
    addRow: async (tags: string[]) =>
      (await insertRow(db, newRow({ connectorKey: "tracker", tags }))).id,
    setRowTags: (id: string, tags: string[]) => setRowTags(db, id, tags, now()),
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
