import { afterAll, beforeAll, expect, test } from "bun:test";
import { localAdmin } from "../identity/local-admin.ts";
import { openSession } from "../identity/testing/open-test-session.ts";
import { insertOAuthGrant } from "../store/oauth/oauth-grants.ts";
import { newFinishedRun, newRun } from "../store/test-data.ts";
import { openTestServices } from "./testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let userId: string;
let row: string;
beforeAll(async () => {
  hub = await openTestServices();
  userId = (await hub.admin.users.add({ email: "ada@example.com" })).id;
  row = (await hub.admin.rows.add({ connector: "tracker", label: "Bugs" })).id;
});
afterAll(() => hub.close());

async function addRun(): Promise<string> {
  const run = newFinishedRun({ connectorId: row, userId: localAdmin.userId });
  await hub.deps.store.runs.insertFinished(run);
  return run.id;
}

async function addApplication(): Promise<string> {
  const id = crypto.randomUUID();
  await insertOAuthGrant(hub.deps.store.db, {
    id,
    userId,
    clientId: "desk",
    clientName: "Desk",
    scope: "mcp",
    redirectUri: "http://127.0.0.1:4000/callback",
    resource: "https://hub.example/mcp",
    createdAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
  });
  return id;
}

/** Makes one of each kind; resolves with its id and with what is done with that id. */
const uses: Record<string, () => Promise<[id: string, use: (id: string) => Promise<unknown>]>> = {
  "a user is shown": async () => [userId, hub.admin.users.show],
  "a row is shown": async () => [row, hub.admin.rows.show],
  "a run is shown": async () => [await addRun(), hub.admin.runs.show],
  "a run is shown to its caller": async () => [
    await addRun(),
    (id) => hub.admin.runs.showFor(localAdmin, id),
  ],
  "a run's form is read": async () => [await addRun(), hub.admin.runs.readForm],
  "a run is cancelled": async () => {
    const run = newRun({ connectorId: row });
    await hub.deps.store.runs.begin(run);
    return [run.id, (id) => hub.admin.runs.cancel(localAdmin, id)];
  },
  "a token is revoked": async () => {
    const { id } = await hub.admin.tokens.create({ user: userId, name: "laptop" });
    return [id, hub.admin.tokens.revoke];
  },
  "a session is ended": async () => {
    const { id } = await openSession(hub.deps.store, { userId });
    return [id, hub.admin.sessions.end];
  },
  "an application is revoked": async () => [await addApplication(), hub.admin.applications.revoke],
  "a key is removed": async () => {
    const { keys } = await hub.admin.keys.list();
    await hub.admin.keys.rotate();
    return [keys.find(({ sealing }) => sealing)?.id ?? "", hub.admin.keys.remove];
  },
};

test.each(Object.entries(uses))("By an id in capital letters, %s", async (_, prepare) => {
  const [id, use] = await prepare();
  await use(id.toUpperCase());
});

test.each(
  Object.entries(uses),
)("An id that does not exist is refused where %s", async (_, prepare) => {
  const [, use] = await prepare();
  await expect(use(crypto.randomUUID())).rejects.toMatchObject({ code: "not_found" });
});
