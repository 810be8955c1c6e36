/** Secrets that are kept outside the hub: a hub file refers to them, and the hub reads them at each call. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const variableSecret = "the-secret-of-the-variable";
const fileSecret = "the-secret-of-the-file";
const fromFile = "5f1c8c4e-9d6b-4a53-8f0e-0d4f6c1b2a31";
const fromVariable = "5f1c8c4e-9d6b-4a53-8f0e-0d4f6c1b2a32";

const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

let hub: RunningHub;
let folder: string;
let authorization: string;
let baseUrl: string;
let hubFile: string;
let seen: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-secrets-"));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  // As Kubernetes mounts a secret: the name is a link to a file of a folder beside it.
  await mkdir(join(folder, "..data"));
  await symlink("..data/tracker", join(folder, "tracker"));
  await symlink("/etc/hostname", join(folder, "outside"));
  await mkdir(join(folder, "folder"));
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ headers }) {
      seen.push(headers.get("authorization") ?? "");
      return Response.json({ echoed: headers.get("authorization") });
    },
  });
  owned.defer(() => upstream.stop(true));
  baseUrl = `http://127.0.0.1:${upstream.port}`;
  const env = { HUB_SECRETS_DIR: folder, HUB_SECRET_TRACKER: variableSecret };
  hub = owned.use(await startHub({ isHere: true, env }));
  authorization = `Bearer ${await hub.makeManageToken()}`;
  hubFile = toHubFile("secret:tracker", "env:HUB_SECRET_TRACKER");
});

beforeEach(async () => {
  seen = [];
  await writeFile(join(folder, "..data", "tracker"), `${fileSecret}\n`);
});

function toHubFile(one: string, other: string): string {
  const values = { base_url: baseUrl, auth_mode: "bearer" };
  const rows = [
    { id: fromFile, connector: "http", label: "File", values: { ...values, token: one } },
    { id: fromVariable, connector: "http", label: "Variable", values: { ...values, token: other } },
  ];
  return JSON.stringify({ hub_file: 1, rows });
}

async function apply(text: string) {
  const path = join(hub.dataDir, "hub.json");
  await writeFile(path, text);
  const { exitCode, stdout, stderr } = await hub.tryCli(["apply", path, "--json"]);
  return { exitCode, stderr, ...(exitCode === 0 && JSON.parse(stdout)) };
}

async function ask(method: string, path: string, body?: object) {
  const answer = await fetch(`${hub.url}/manager/api/rows${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return Object(await answer.json());
}

const call = async (id: string) =>
  JSON.stringify(await ask("POST", `/${id}/operations/get/test`, { params: { path: "/" } }));

async function exportTokens(): Promise<string[]> {
  const { stdout } = await hub.tryCli(["export"]);
  return [...stdout.matchAll(/token: (\S+)/g)].map(([, token = ""]) => token);
}

test("A row's secrets are read from a variable and a file, masked, and exported as references", async () => {
  expect(await apply(hubFile)).toMatchObject({ exitCode: 0 });
  for (const id of [fromFile, fromVariable]) {
    const answer = await call(id);
    expect(answer).toContain("hub_enc_");
    expect(answer).not.toMatch(/the-secret-of/);
  }
  expect(seen).toEqual([`Bearer ${fileSecret}`, `Bearer ${variableSecret}`]);
  expect(await exportTokens()).toEqual(["secret:tracker", "env:HUB_SECRET_TRACKER"]);
  expect(await apply(hubFile)).toMatchObject({ exitCode: 0, changes: [] });
  expect(await ask("GET", `/${fromFile}/settings`)).toMatchObject({ outside: ["token"] });
});

test("A file that changes counts from the next call on", async () => {
  await call(fromFile);
  await writeFile(join(folder, "..data", "tracker"), "the-next-secret");
  const answer = await call(fromFile);
  expect(seen).toEqual([`Bearer ${fileSecret}`, "Bearer the-next-secret"]);
  expect(answer).not.toContain("the-next-secret");
});

test("A secret that cannot be read fails the call with what to do, and doctor names it", async () => {
  await rm(join(folder, "..data", "tracker"));
  const answer = await call(fromFile);
  expect(answer).toContain("the file tracker in HUB_SECRETS_DIR cannot be read (ENOENT)");
  expect(answer).not.toContain(folder);
  expect(seen).toEqual([]);
  const { stdout } = await hub.tryCli(["doctor"]);
  expect(stdout).toContain(
    '"File": A secret of this row is kept outside the hub, and the file tracker',
  );
  // In a shell without the server's variables.
  const elsewhere = await hub.tryCli(["doctor"], {
    env: { HUB_SECRETS_DIR: "", HUB_SECRET_TRACKER: "" },
  });
  expect(elsewhere.stdout).toContain("HUB_SECRETS_DIR is not set, so there is no file tracker");
  expect(elsewhere.stdout).toContain("the variable HUB_SECRET_TRACKER is not set");
});

test.each([
  ["secret:outside", "is a link to a place outside HUB_SECRETS_DIR"],
  ["secret:folder", "is not a file"],
])("The reference %s reads nothing", async (reference, reason) => {
  expect(await apply(toHubFile(reference, "keep"))).toMatchObject({ exitCode: 0 });
  expect(await call(fromFile)).toContain(reason);
  expect(seen).toEqual([]);
  expect(await apply(hubFile)).toMatchObject({ exitCode: 0 });
});

test.each([
  "secret:../keys.json",
  "secret:/etc/passwd",
  "secret:..data",
  "secret:",
  "HUB_SECRET_TRACKER",
])("%s is no reference, and is refused with its line", async (text) => {
  const { exitCode, stderr } = await apply(toHubFile(text, "keep"));
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/Line 1 .*This is a secret, so it does not stand in the file/);
});

test("A rotation of the keys keeps references, and a copy of a row has none", async () => {
  expect(await hub.tryCli(["keys", "rotate"])).toMatchObject({ exitCode: 0 });
  expect(await exportTokens()).toEqual(["secret:tracker", "env:HUB_SECRET_TRACKER"]);
  await call(fromFile);
  expect(seen).toEqual([`Bearer ${fileSecret}`]);
  const copy = await ask("POST", `/${fromFile}/duplicate`, {});
  expect(copy.missing).toEqual(["token"]);
  await ask("DELETE", `/${copy.id}`);
});

test("Over the API, the form of a reference is plain text, and a value replaces a reference", async () => {
  for (const token of ["env:HUB_SECRET_TRACKER", "secret:tracker"]) {
    const { version } = await ask("GET", `/${fromFile}`);
    await ask("PATCH", `/${fromFile}`, { version, values: { token } });
    await call(fromFile);
    expect(seen.splice(0)).toEqual([`Bearer ${token}`]);
    expect(await exportTokens()).toEqual(["keep", "env:HUB_SECRET_TRACKER"]);
  }
  // The same text in a hub file is a reference, and not what is stored.
  expect((await apply(hubFile)).changes).toHaveLength(1);
  await call(fromFile);
  expect(seen).toEqual([`Bearer ${fileSecret}`]);
});
