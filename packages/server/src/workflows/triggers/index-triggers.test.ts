import { afterAll, beforeAll, expect, test } from "bun:test";
import { countTriggersOf, listCronTriggers } from "../../store/workflows/workflow-triggers.ts";
import { openDefinitions } from "../definition/testing/open-definitions.ts";
import { triggersOfOwnerMax } from "./index-triggers.ts";

let record: Awaited<ReturnType<typeof openDefinitions>>;

beforeAll(async () => {
  record = await openDefinitions();
});
afterAll(() => record.close());

const bodyOf = (triggers: object[]) => ({
  triggers,
  nodes: [{ id: "one", type: "set", value: 1 }],
});
const cron = (id: string, more: object = {}) => ({
  id,
  type: "cron",
  entry: "one",
  schedule: "0 0 9 * * *",
  ...more,
});

test("A publication stores its cron triggers, and a draft does not", async () => {
  const { verbs } = await record.addUser("ann");
  const { id } = await verbs.create({ name: "Report", body: bodyOf([cron("nine")]) });
  const list = async () =>
    (await listCronTriggers(record.db)).filter(({ workflowId }) => workflowId === id);
  expect(await list()).toEqual([]);
  await verbs.publish(id, 1);
  await verbs.save(id, { revision: 1, body: bodyOf([cron("ten", { timezone: "Asia/Tokyo" })]) });
  expect(await list()).toMatchObject([{ triggerId: "nine", timezone: null, catchUp: "none" }]);
  await verbs.publish(id, 2);
  expect(await list()).toMatchObject([{ triggerId: "ten", timezone: "Asia/Tokyo" }]);
});

test("The published workflows of an owner have a limited number of cron triggers", async () => {
  const { id: ownerId, verbs } = await record.addUser("bob");
  const many = Array.from({ length: triggersOfOwnerMax }, (_, at) => cron(`cron_${at}`));
  const { id } = await verbs.create({ name: "Many", body: bodyOf(many) });
  const { id: other } = await verbs.create({ name: "One", body: bodyOf([cron("more")]) });
  await verbs.publish(id, 1);
  await expect(verbs.publish(other, 1)).rejects.toThrow(/can have 100 cron triggers.*101/);
  expect(await countTriggersOf(record.db, { ownerId, type: "cron", except: "" })).toBe(100);
  await verbs.save(id, { revision: 1, body: bodyOf([]) });
  await verbs.publish(id, 2);
  expect((await verbs.publish(other, 1)).version).toBe(1);
});

test("A workflow whose cron triggers would be too many for a new owner is not accepted", async () => {
  const cy = await record.addUser("cy");
  const { verbs } = await record.addUser("di");
  const many = Array.from({ length: triggersOfOwnerMax }, (_, at) => cron(`cron_${at}`));
  const { id } = await verbs.create({ name: "Many", body: bodyOf(many) });
  await verbs.publish(id, 1);
  const { id: other } = await cy.verbs.create({ name: "One", body: bodyOf([cron("more")]) });
  await cy.verbs.publish(other, 1);
  const offered = await verbs.offer(id, "cy@example.com");
  const accept = async () => await cy.verbs.accept(id, offered.updated_at);
  await expect(accept()).rejects.toThrow(/can have 100 cron triggers.*101/);
  await cy.verbs.delete(other);
  expect((await accept()).owner?.id).toBe(cy.id);
});
