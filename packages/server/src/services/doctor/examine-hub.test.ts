import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { doctorReportSchema } from "@hub/contract/doctor.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { HUB_CALLER_ID, LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { readBuildName } from "../../lib/process/build-info.ts";
import { createFence } from "../../plugins/fence/fence.ts";
import { putPluginProblem } from "../../store/plugins/plugin-problems.ts";
import { insertInstance } from "../../store/servers/instances.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { checkUser } from "./check-fence.ts";

/** Most tests are not about the fence, which starts a program in each report. */
const fenceOff = { HUB_PLUGIN_FENCE: "off" };

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeEach(async () => {
  hub = await openTestServices(fenceOff);
});
afterEach(() => hub.close());

async function openFenced() {
  const opened = await openTestServices();
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}

async function findStatus(name: string): Promise<string | undefined> {
  const { checks } = await hub.admin.doctor();
  return checks.find((check) => check.name === name)?.status;
}

test("A new hub passes all checks, and the report matches its schema", async () => {
  await using fenced = await openFenced();
  const report = await fenced.admin.doctor();
  expect(doctorReportSchema.parse(report)).toEqual(report);
  expect(report.checks.filter((check) => check.status === "fail")).toEqual([]);
  const { hub_version, server_commit } = await readBuildName();
  expect(report.checks[0]).toEqual({
    name: "version",
    status: "ok",
    message: expect.stringContaining(`${hub_version}, commit ${server_commit}, built 2`),
    checked_at: expect.any(String),
  });
});

test("What was not seen to work is not reported as if it were", async () => {
  const { checks } = await hub.admin.doctor();
  const find = (name: string) => checks.find((check) => check.name === name);
  expect(find("backup")).toMatchObject({
    status: "warn",
    message: expect.stringContaining("none was made here. Make one with: hub backup"),
  });
  // No hub serves this folder, so the address was not tried.
  expect(find("address")).toMatchObject({ status: "unknown", checked_at: null });
  expect(find("keys")).toMatchObject({ status: "ok", checked_at: expect.any(String) });
});

test("A process of root is a warning, unless programs run as another user", () => {
  if (process.getuid?.() !== 0) return;
  const { config } = hub.deps;
  expect(checkUser({ config: { ...config, pluginUser: null } })).toMatchObject([
    {
      status: "warn",
      message: expect.stringContaining("set HUB_PLUGIN_USER, or run the hub as another user"),
    },
  ]);
  expect(checkUser({ config: { ...config, pluginUser: "990:990" } })).toMatchObject([
    { status: "ok" },
  ]);
});

test("The report contains the warnings of the start", async () => {
  const { checks } = await hub.admin.doctor({ warnings: ["HUB_X is not a setting."] });
  expect(checks).toContainEqual({
    name: "environment",
    status: "warn",
    message: "HUB_X is not a setting.",
    checked_at: expect.any(String),
  });
});

test("The local admin and the hub, which hold runs of their own, are no deleted users", async () => {
  await runSql(
    hub.deps.store.db,
    `insert into user_run_bytes (day, user_id, bytes) values (1, '${LOCAL_ADMIN_ID}', 9), (1, '${HUB_CALLER_ID}', 7), (1, 'gone', 5)`,
  );
  const { checks } = await hub.admin.doctor();
  expect(checks.find((check) => check.name === "audit")?.message).toContain(
    "(most by local-admin: 1 MiB, the hub itself: 1 MiB, a deleted user: 1 MiB)",
  );
});

test("A data folder that other users can read is a warning", async () => {
  await chmod(hub.dataDir, 0o755);
  expect(await findStatus("data folder")).toBe("warn");
});

test("A row that needs setup is named with its missing fields", async () => {
  await hub.admin.rows.add({ connector: "tracker", label: "Half" });
  const { checks } = await hub.admin.doctor();
  const rows = checks.find((check) => check.name === "rows");
  expect(rows).toMatchObject({ status: "warn" });
  expect(rows?.message).toContain('"Half" needs base_url, token');
});

test("Stored secrets without their key are a failure that names them", async () => {
  const values = { token: "the-secret" };
  await hub.admin.rows.add({ connector: "tracker", label: "Lost", values });
  await rm(join(hub.dataDir, "keys.json"));
  const { checks } = await hub.admin.doctor();
  const keys = checks.find(({ name }) => name === "keys");
  expect(keys).toMatchObject({
    status: "fail",
    message: expect.stringContaining('token of "Lost"'),
  });
});

test("A hub without an active admin is a warning", async () => {
  await hub.admin.users.add({ email: "ada@example.com" });
  expect(await findStatus("users")).toBe("warn");
  await hub.admin.users.add({ email: "eve@example.com", role: "admin" });
  const { checks } = await hub.admin.doctor();
  expect(checks).toContainEqual(
    expect.objectContaining({ name: "users", message: "2 in all, 1 active admin" }),
  );
});

test.each([
  ["bound", "0", "ok"],
  ["user", "0", "warn"],
  ["bound", "1", "warn"],
])("With HUB_ROW_TOKENS=%s and HUB_ENC_DISABLE=%s, the masking check is %s", async (HUB_ROW_TOKENS, HUB_ENC_DISABLE, status) => {
  const other = await openTestServices({ ...fenceOff, HUB_ROW_TOKENS, HUB_ENC_DISABLE });
  try {
    const { checks } = await other.admin.doctor();
    expect(checks.filter(({ name }) => name === "masking")).toMatchObject([{ status }]);
  } finally {
    await other.close();
  }
});

test.skipIf(!createFence({ dataDir: "/", mode: "auto" }).separates())(
  "The fence of programs is tried on the key file and this process",
  async () => {
    await using fenced = await openFenced();
    const { checks } = await fenced.admin.doctor();
    const keys = join(fenced.dataDir, "keys.json");
    expect(checks.find(({ name }) => name === "plugin fence")).toMatchObject({
      status: "ok",
      message: expect.stringContaining(`could not read ${keys}, `),
    });
  },
);

test("Without a fence, the check says so, and warns if there are programs", async () => {
  const find = async () =>
    (await hub.admin.doctor()).checks.find(({ name }) => name === "plugin fence");
  const message = expect.stringContaining("none: HUB_PLUGIN_FENCE is off");
  expect(await find()).toMatchObject({ status: "unknown", message });
  const starts = { ...hub.deps.registry.find("tracker"), startsProgram: () => true };
  hub.deps.registry.find = (key) => (key === "tracker" ? (starts as RegisteredConnector) : null);
  await hub.admin.rows.add({ connector: "tracker", label: "A program" });
  expect(await find()).toMatchObject({ status: "warn", message });
});

test("Sizes are rounded up to whole MiB", async () => {
  const other = await openTestServices({ ...fenceOff, HUB_AUDIT_BYTES_MAX: String(1024 ** 2 + 1) });
  try {
    const { checks } = await other.admin.doctor();
    const audit = checks.find(({ name }) => name === "audit");
    expect(audit?.message).toContain("at most 2 MiB");
  } finally {
    await other.close();
  }
});

test("Recorded calls above the size limit are a warning only if those of the last day exceed it", async () => {
  const other = await openTestServices({ ...fenceOff, HUB_AUDIT_BYTES_MAX: String(1024 ** 2) });
  const { db } = other.deps.store;
  const hour = Math.floor(Date.now() / 3_600_000);
  const put = (hoursAgo: number, bytes: number) =>
    runSql(db, "insert into run_bytes (hour, bytes) values (?, ?)", hour - hoursAgo, bytes);
  const findAudit = async () =>
    (await other.admin.doctor()).checks.find(({ name }) => name === "audit");
  try {
    await put(48, 2 * 1024 ** 2);
    expect(await findAudit()).toMatchObject({ status: "ok" });
    await put(1, 2 * 1024 ** 2);
    expect(await findAudit()).toMatchObject({
      status: "warn",
      message: expect.stringContaining("The last 24 hours alone take 2 MiB"),
    });
  } finally {
    await other.close();
  }
});

test("What a running server cannot use of the installed plugins is a warning with its place", async () => {
  expect(await findStatus("plugins")).toBe("ok");
  const { db } = hub.deps.store;
  const server = { kind: "serve" as const, pid: 12, hostname: "host-b", startedAt: Date.now() };
  for (const id of ["alive", "dead"]) {
    await insertInstance(db, { ...server, id });
    const message = `${id} needs another build.`;
    await putPluginProblem(db, { instanceId: id, key: "tracker", message, recordedAt: 1 });
  }
  await runSql(db, "update instances set heartbeat_at = 0 where id = 'dead'");
  const { checks } = await hub.admin.doctor();
  expect(checks.find(({ name }) => name === "plugins")).toEqual({
    name: "plugins",
    status: "warn",
    message: "0 installed; tracker on process 12 of host-b: alive needs another build.",
    checked_at: expect.any(String),
  });
});
