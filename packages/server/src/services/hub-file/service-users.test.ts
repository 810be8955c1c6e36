/** Protects: a hub file neither makes nor ends a service user, and names what belongs to one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandLineActor, localAdmin } from "../../identity/local-admin.ts";
import { newWorkflow } from "../../store/test-data.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { insertWorkflow } from "../../store/workflows/workflow-changes.ts";
import { addServiceUser } from "../machines/manage-service-users.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { applyHubFile } from "./apply-hub-file.ts";
import { exportHub } from "./export-hub.ts";
import { listNotCarried } from "./list-not-carried.ts";
import { readHubFile } from "./read-hub-file.ts";
import { writeHubFile } from "./write-hub-file.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let robotId: string;
beforeAll(async () => {
  hub = await openTestServices();
  const ann = await hub.admin.users.add({ email: "ann@example.com", role: "admin" });
  await hub.admin.users.add({ email: "bob@example.com" });
  const input = { name: "deploy-bot", owner: ann.id };
  robotId = (await addServiceUser(hub.deps, commandLineActor, input)).id;
});
afterAll(() => hub.close());

async function apply(text: string, isPruning = false): Promise<string> {
  // Safe: with the members that a file of users and workflows needs.
  const author = { actor: commandLineActor, caller: localAdmin } as never;
  const options = { isDryRun: false, isPruning, cwd: "/", readReference: async () => "" } as never;
  return await applyHubFile(hub.deps as never, author, readHubFile(text), options).then(
    ({ changes }) => changes.map(({ action, name }) => `${action} ${name}`).join(", "),
    (thrown) => String(thrown.message),
  );
}

const head = "hub_file: 1\n";

test("Pruning disables people and leaves service users, which an export does not have", async () => {
  const people = (await exportHub(hub.deps)).users ?? [];
  expect(people.map(({ email }) => email)).toEqual(["ann@example.com", "bob@example.com"]);
  expect(await apply(`${head}users:\n  - email: ann@example.com\n`, true)).toBe(
    "disable bob@example.com",
  );
  expect(await findUserById(hub.deps.store.db, robotId)).toMatchObject({ status: "active" });
});

test("No file and no list of people takes the e-mail of a service user", async () => {
  const email = "Deploy-Bot@service.invalid";
  expect(await apply(`${head}users:\n  - email: ${email}\n    status: disabled\n`)).toContain(
    "stands for a service user",
  );
  await expect(hub.admin.users.add({ email: "other@service.invalid" })).rejects.toThrow(
    "stands for a service user",
  );
});

test("The workflow of a service user is named beside the file, which is applied again", async () => {
  const { db } = hub.deps.store;
  expect((await listNotCarried(hub.deps)).ownedByServices).toEqual([]);
  await insertWorkflow(db, newWorkflow(robotId, { id: "report-aaaaaa" }));
  expect((await listNotCarried(hub.deps)).ownedByServices).toEqual([
    'workflow "Report": deploy-bot',
  ]);
  const text = writeHubFile(await exportHub(hub.deps));
  expect(text).toContain("owner: deploy-bot@service.invalid");
  expect(await apply(text, true)).toBe("");
  expect(await apply(text.replace("owner: deploy-bot@", "owner: absent@"))).toContain(
    'There is no service user "absent". Make it first: hub service-user add',
  );
});
