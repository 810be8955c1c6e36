import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestOperations, toTestCall } from "./open-test-operations.ts";

const secret = "s3cret-of-the-row";
const connector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret"), Mood: wick("default=well") },
  async health({ config, fetch }) {
    if (config.Mood === "deaf") {
      hung.resolve();
      await new Promise(() => {});
    }
    if (config.Mood === "outside") {
      const { status } = await fetch(outside.url);
      return { ok: false, reason: `The host answered ${status}.` };
    }
    if (config.Mood === "broken") throw new Error(`no luck with ${config.Token}`);
    return config.Mood === "well"
      ? { ok: true }
      : { ok: false, reason: `The host answered 401 to ${config.Token}.` };
  },
  lookup: ({ source, query, config }) => [{ id: "1", name: `${source}/${query}/${config.Token}` }],
  operations: {
    read: {
      description: "Reads.",
      input: { Author: wick("picker=people") },
      run: () => ({}),
    },
  },
});

const hung = Promise.withResolvers<void>();
const outside = Bun.serve({ port: 0, fetch: () => new Response("", { status: 418 }) });
afterAll(() => outside.stop());

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
let hub: Hub;
beforeAll(async () => {
  hub = await openTestOperations(connector, { outboundAllow: ["127.0.0.1", "localhost"] });
});
afterAll(() => hub.close());

const addRow = (mood: string) =>
  hub.addRow({ tags: ["lab"], values: { mood }, secrets: { token: secret } });
const newestRun = async () => (await hub.listRuns())[0];

describe("a health check", () => {
  test("A health check returns the connector's answer and is recorded", async () => {
    const id = await addRow("well");
    expect(await hub.operations.checkHealth(toTestCall(["lab"]), id)).toEqual({ ok: true });
    expect(await newestRun()).toMatchObject({
      connectorId: id,
      operationKey: "hub.health",
      status: "success",
    });
  });

  test("The reason of a health check never contains the secret that the connector quotes in it", async () => {
    const health = await hub.operations.checkHealth(toTestCall(["lab"]), await addRow("sad"));
    expect(health.ok).toBe(false);
    expect(JSON.stringify(health)).toMatch(/answered 401 to hub_enc_/);
    expect(JSON.stringify([health, await hub.listRuns()])).not.toContain(secret);
  });

  test("A health check that throws fails like a call: sealed and recorded", async () => {
    const asked = hub.operations.checkHealth(toTestCall(["lab"]), await addRow("broken"));
    await expect(asked).rejects.toThrow(/no luck with hub_enc_/);
    expect(await newestRun()).toMatchObject({ status: "error" });
  });
});

describe("a running health check", () => {
  test("A running health check is cancelled like a call, even if its connector ignores the signal", async () => {
    const asked = hub.operations.checkHealth(toTestCall(["lab"]), await addRow("deaf"));
    await hung.promise;
    const run = await newestRun();
    expect(run).toMatchObject({ operationKey: "hub.health", status: "running" });
    expect(hub.operations.cancel(run?.id ?? "", "An admin stopped it.")).toBe(true);
    await expect(asked).rejects.toThrow("An admin stopped it.");
    expect(await newestRun()).toMatchObject({ status: "cancelled" });
  });

  test("A health check records the HTTP status of the outside system's answer", async () => {
    await hub.operations.checkHealth(toTestCall(["lab"]), await addRow("outside"));
    expect(await newestRun()).toMatchObject({ status: "success", httpStatus: 418 });
  });
});

describe("a look-up", () => {
  test("A look-up returns the connector's items, sealed, and is recorded with its query", async () => {
    const question = { rowId: await addRow("well"), source: "people", query: "ad" };
    const [item] = await hub.operations.lookUp(toTestCall(["lab"]), question);
    expect(item?.name).toMatch(/^people\/ad\/hub_enc_/);
    expect(await newestRun()).toMatchObject({
      operationKey: "hub.lookup",
      request: '{"source":"people","query":"ad"}',
      status: "success",
    });
  });

  test("A caller who may not see the row gets not_found", async () => {
    const question = { rowId: await addRow("well"), source: "people", query: "ad" };
    const asked = hub.operations.lookUp(toTestCall(["other"]), question);
    await expect(asked).rejects.toMatchObject({ code: "not_found" });
    expect(await newestRun()).toMatchObject({ status: "denied", rowLabel: null });
  });
});

test("A connector without a health check or look-up answers not_found", async () => {
  const bare = defineConnector({
    ...{ key: "bare", name: "Bare", icon: "box", tier: "builtin", description: "Has neither." },
    config: {},
    operations: { read: { description: "Reads.", run: () => ({}) } },
  });
  const other = await openTestOperations(bare);
  const id = await other.addRow({ tags: ["lab"] });
  const admin = toTestCall(["lab"]);
  const ctx = { ...admin, caller: { ...admin.caller, role: "admin" as const } };
  await expect(other.operations.checkHealth(ctx, id)).rejects.toMatchObject({
    ...{ code: "not_found", message: 'The connector "bare" has no health check.' },
  });
  const question = { rowId: id, source: "people", query: "" };
  await expect(other.operations.lookUp(ctx, question)).rejects.toMatchObject({
    ...{ code: "not_found", message: 'The connector "bare" has no look-up.' },
  });
  await other.close();
});
