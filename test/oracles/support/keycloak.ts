import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { endWithRunner } from "../../support/end-with-runner.ts";
import { findFreePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";

export const keycloakVersion = "26.7.0";
const cache = resolve(import.meta.dirname, "../../../node_modules/.cache/hub");
const installed = join(cache, `keycloak-${keycloakVersion}`);
const artifact = `org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:zip`;

/** The address of a Keycloak that runs, with the admin `admin` and the password `admin`. */
const running = process.env.HUB_TEST_KEYCLOAK_URL;

/** Null if Keycloak can run here, else why not. The first call loads 176 MB by Maven. */
export function findKeycloakObstacle(): string | null {
  if (running !== undefined) return null;
  if (Bun.which("java") === null) return "there is no Java here";
  if (existsSync(installed)) return null;
  if (Bun.which("mvn") === null || Bun.which("unzip") === null) {
    return "there is no Maven or no unzip here";
  }
  const folder = join(cache, `keycloak-of-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const goal = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy";
    const copied = run([
      "mvn",
      "-q",
      "-B",
      goal,
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${folder}`,
    ]);
    if (copied !== null) return `Keycloak cannot be had: ${copied.slice(0, 300)}`;
    const unpacked = run([
      "unzip",
      "-q",
      join(folder, `keycloak-quarkus-dist-${keycloakVersion}.zip`),
      "-d",
      folder,
    ]);
    if (unpacked !== null) return `Keycloak cannot be unpacked: ${unpacked.slice(0, 300)}`;
    renameSync(join(folder, `keycloak-${keycloakVersion}`), installed);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string[]): string | null {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  return exitCode === 0 ? null : `${stdout.toString()}${stderr.toString()}`.trim();
}

export type Keycloak = AsyncDisposable & {
  issuer: string;
  /** Sends a request to the management API of the realm. Returns the id of what it made, or what it answers. */
  manage(method: string, path: string, body?: unknown): Promise<{ id: string; answer: unknown }>;
};

const realm = `hub-${crypto.randomUUID().slice(0, 8)}`;
const admin = { username: "admin", password: "admin" };

/** Makes a realm in a Keycloak that it starts, in memory. A start takes a minute, and the first one two more. */
export async function startKeycloak(): Promise<Keycloak> {
  const program = running === undefined ? await startProgram() : null;
  const base = program?.url ?? `${running}`;
  const stop = async () => await program?.stop();

  async function readToken(): Promise<string> {
    const body = new URLSearchParams({ grant_type: "password", client_id: "admin-cli", ...admin });
    const url = `${base}/realms/master/protocol/openid-connect/token`;
    const answer = await fetch(url, { method: "POST", body });
    return `${Object(await answer.json()).access_token}`;
  }

  async function send(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${base}/admin/realms${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await readToken()}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Keycloak: ${method} ${path}: ${answer.status} ${text}`);
    const parsed: unknown = text === "" ? null : JSON.parse(text);
    const made = answer.headers.get("location")?.split("/").at(-1);
    return { id: made ?? `${Object(parsed).id}`, answer: parsed };
  }

  try {
    await waitFor(async () => {
      const answer = await fetch(`${base}/realms/master`).catch(() => null);
      return answer?.ok === true ? true : undefined;
    });
    await send("POST", "", { realm, enabled: true, sslRequired: "none" });
  } catch (failure) {
    await stop();
    throw failure;
  }
  return {
    issuer: `${base}/realms/${realm}`,
    manage: (method, path, body) => send(method, `/${realm}${path}`, body),
    [Symbol.asyncDispose]: stop,
  };
}

async function startProgram() {
  const port = await findFreePort();
  const options = ["--http-host=127.0.0.1", `--http-port=${port}`, "--cache=local", "--db=dev-mem"];
  const program = Bun.spawn([join(installed, "bin/kc.sh"), "start-dev", ...options], {
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
      JAVA_OPTS_KC_HEAP: "-Xms64m -Xmx600m",
    },
    stdout: "ignore",
    stderr: "ignore",
  });
  endWithRunner(program);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      program.kill();
      await program.exited;
    },
  };
}
