import { expect, test } from "bun:test";
import { newUser, newWorkflow } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser } from "../users/users-table.ts";
import {
  listWebhookRequests,
  purgeWebhookRequests,
  putWebhookRequests,
  type WebhookRequest,
} from "./webhook-requests.ts";
import { deleteWorkflow, insertWorkflow } from "./workflow-changes.ts";

/** The last requests to webhooks. */
export function describeWebhookRequests(stores: () => TestStores): void {
  const db = () => stores().store.db;

  async function addWorkflow(): Promise<string> {
    const user = await insertUser(db(), newUser({ email: `${crypto.randomUUID()}@example.com` }));
    const workflow = newWorkflow(user.id);
    await insertWorkflow(db(), workflow);
    return workflow.id;
  }
  const newRequest = (workflowId: string, given: Partial<WebhookRequest> = {}): WebhookRequest => ({
    workflowId,
    key: crypto.randomUUID(),
    at: 1_000,
    firstAt: given.at ?? 1_000,
    requests: 1,
    triggerId: "hook",
    isTest: false,
    reason: null,
    method: "POST",
    path: "a/b",
    deliveryId: null,
    isRepeated: false,
    signature: "none",
    status: 202,
    code: null,
    message: null,
    runId: "run",
    durationMs: 3,
    bodyBytes: 12,
    ...given,
  });
  const list = async (workflowId: string, given: { outcome?: "accepted" | "refused" } = {}) =>
    await listWebhookRequests(db(), workflowId, { limit: 100, ...given });

  test("Requests to webhooks are listed newest first, by trigger and outcome, in pages", async () => {
    const id = await addWorkflow();
    const first = newRequest(id, { at: 1_000, key: "a" });
    const refused = newRequest(id, {
      at: 2_000,
      key: "b",
      reason: "no_trigger",
      triggerId: null,
      status: 404,
      code: "not_found",
      message: "Not here.",
      runId: null,
      bodyBytes: null,
      isTest: true,
    });
    const last = newRequest(id, { at: 2_000, key: "c", deliveryId: "d", isRepeated: true });
    await putWebhookRequests(db(), [first, refused, last], 10);
    await putWebhookRequests(db(), [newRequest(await addWorkflow())], 10);
    // After a lost connection, it is not known whether a batch was committed.
    await putWebhookRequests(db(), [first], 10);
    expect(await list(id)).toEqual([last, refused, first]);
    expect(await list(id, { outcome: "accepted" })).toEqual([last, first]);
    expect(await list(id, { outcome: "refused" })).toEqual([refused]);
    const ofTrigger = { triggerId: "hook", limit: 1 };
    expect(await listWebhookRequests(db(), id, ofTrigger)).toEqual([last]);
    const after = { at: 2_000, key: "c" };
    expect(await listWebhookRequests(db(), id, { after, limit: 1 })).toEqual([refused]);
  });

  test("Refused requests with one key are counted in one row, with the facts of the last one", async () => {
    const id = await addWorkflow();
    const refused = { key: "live hook signature_wrong", reason: "signature_wrong", status: 401 };
    await putWebhookRequests(db(), [newRequest(id, { ...refused, requests: 3 })], 10);
    const last = { ...refused, at: 9_000, firstAt: 8_000, path: "other" };
    await putWebhookRequests(db(), [newRequest(id, { ...last, requests: 2 })], 10);
    const [row, ...others] = await list(id);
    expect(row).toMatchObject({ ...last, firstAt: 1_000, requests: 5 });
    expect(others).toEqual([]);
  });

  test("The newest accepted requests and the newest refused ones of a workflow are kept apart", async () => {
    const [one, two] = [await addWorkflow(), await addWorkflow()];
    const accepted = [1, 2, 3].map((at) => newRequest(one, { at, key: `accepted ${at}` }));
    const refused = [4, 5, 6].map((at) => newRequest(one, { at, key: `${at}`, reason: "failed" }));
    await putWebhookRequests(db(), [...accepted, newRequest(two, { key: "other" })], 2);
    await putWebhookRequests(db(), refused, 2);
    const keys = (await list(one)).map(({ key }) => key);
    expect(keys).toEqual(["6", "5", "accepted 3", "accepted 2"]);
    expect(await list(two)).toHaveLength(1);
  });

  test("Old requests to webhooks are purged, and those of a deleted workflow are removed", async () => {
    const id = await addWorkflow();
    const requests = [1_000, 2_000, 3_000].map((at) => newRequest(id, { at, key: `${at}` }));
    await putWebhookRequests(db(), requests, 10);
    expect(await purgeWebhookRequests(db(), { before: 3_000, limit: 1 })).toBe(1);
    expect(await purgeWebhookRequests(db(), { before: 3_000, limit: 9 })).toBe(1);
    expect((await list(id)).map(({ key }) => key)).toEqual(["3000"]);
    await deleteWorkflow(db(), id, 4_000);
    expect(await list(id)).toEqual([]);
  });
}
