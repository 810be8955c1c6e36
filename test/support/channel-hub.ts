import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { createFakeChat, type FakeChat } from "@hub/server/channels/testing/fake-chat.ts";
import { loadConfig } from "@hub/server/config.ts";
import { createHub, type Hub } from "@hub/server/hub.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { createLog } from "@hub/server/lib/logs/create-log.ts";
import { actAs } from "@hub/server/services/testing/act-as.ts";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import {
  listWorkflowRuns,
  readRunEvent,
} from "@hub/server/store/workflow-runs/workflow-runs-table.ts";
import { actAsUser } from "@hub/server/workflows/definition/testing/act-on-workflows.ts";
import { createDataFolder } from "./data-folder.ts";
import { toDatabaseEnv } from "./test-database.ts";
import { waitFor } from "./wait-for.ts";

export type ChannelHub = AsyncDisposable & {
  hub: Hub;
  chat: FakeChat;
  url: string;
  dataDir: string;
  /** The services as the local admin. */
  admin: ReturnType<typeof actAs>;
  /** The verbs on workflows as a user `name@example.com` with these tags, who is created. */
  addOwner(name: string, tags?: string[]): ReturnType<typeof actAsUser>;
  /** A row of the fake platform. Resolves when it is connected. */
  addChannel(label: string, given?: { tags?: string[]; values?: object }): Promise<string>;
  waitForConnection(rowId: string): Promise<void>;
  /** The events of the runs of a workflow, oldest first. */
  listEvents(workflowId: string): Promise<RunEvent[]>;
};

type RunEvent = {
  id: string;
  state: string;
  startedBy: string;
  event: { Payload: Record<string, unknown>; Source: string; TriggerID: string };
};

/** A server in this process, with a chat platform in memory. */
export async function openChannelHub(
  given: { dataDir?: string; chat?: FakeChat } = {},
): Promise<ChannelHub> {
  const resources = new AsyncDisposableStack();
  const dataDir = given.dataDir ?? resources.use(await createDataFolder()).path;
  const chat = given.chat ?? createFakeChat();
  const env = { HUB_DATA_DIR: dataDir, HUB_PORT: "0", ...toDatabaseEnv(dataDir) };
  if (!("HUB_DATABASE_URL" in env)) await layDatabase(dataDir);
  const { config } = loadConfig({ env, cwd: dataDir });
  const { connector, adapter } = chat;
  const hub = await createHub({
    config,
    kind: "serve",
    log: createLog("silent"),
    chats: [{ connector, loadAdapter: async () => adapter }],
  });
  resources.defer(() => hub.close());
  const server = await hub.serve();
  const { services } = hub;
  const admin = actAs(services, commandLineActor);
  const waitForConnection = async (rowId: string) => {
    await waitFor(() => chat.held.has(rowId));
  };
  return {
    hub,
    chat,
    dataDir,
    admin,
    waitForConnection,
    url: `http://127.0.0.1:${server.port}`,
    async addOwner(name, tags = []) {
      const email = `${name}@example.com`;
      const { id } = await admin.users.add({ email, name, role: "user", tags });
      return await actAsUser(services, id);
    },
    async addChannel(label, { tags = ["everyone"], values = {} } = {}) {
      const { id } = await admin.rows.add({
        connector: adapter.kind,
        label,
        tags,
        values: { token: "t0ken-of-the-chat-9fK2xQ7vLm4R", ...values },
      });
      await waitForConnection(id);
      return id;
    },
    async listEvents(workflowId) {
      const { db } = services.store;
      const runs = await listWorkflowRuns(db, { workflowId, limit: 100 });
      return await Promise.all(
        runs.reverse().map(async ({ id, state, startedBy }) => {
          const { event = "null" } = (await readRunEvent(db, id)) ?? {};
          return { id, state, startedBy, event: JSON.parse(event) };
        }),
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A body whose runs end at once, started by an event of a channel. */
export function onEvent(
  channel: string,
  match: Record<string, unknown> = {},
  event = "message",
): WorkflowBodyInput {
  return {
    schema: 1,
    triggers: [{ id: "said", type: "channel", entry: "done", channel, event, match }],
    nodes: [{ id: "done", type: "set", value: "{{.Event.Payload.text}}" }],
    edges: [],
  };
}
