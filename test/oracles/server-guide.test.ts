/** The guide to a hub on a server: its certificate, its file for nginx and its requests, with the real OpenSSL and nginx. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readConsoleSteps } from "../support/console-blocks.ts";
import { endWithRunner } from "../support/end-with-runner.ts";
import { findFreePort } from "../support/free-port.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(120_000);

const name = "hub.example.com";
const guidePath = resolve(import.meta.dirname, "../../docs/guide/on-a-server.md");
const hasNginx = Bun.which("nginx") !== null && Bun.which("openssl") !== null;

describe.skipIf(!hasNginx)("A hub behind nginx as the guide sets it up", () => {
  const owned = new AsyncDisposableStack();
  let guide: string;
  let folder: string;
  let hub: RunningHub;
  let ports: { https: number; http: number };
  let certificate: string;
  /** A request to the public address, which leads to nginx on this machine. */
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${ports.https}${path}`, {
      ...init,
      redirect: "manual",
      headers: { ...Object(init.headers), host: name },
      tls: { ca: certificate, serverName: name },
    });

  beforeAll(async () => {
    guide = await Bun.file(guidePath).text();
    // nginx's workers have another user than root.
    folder = await mkdtemp(join(tmpdir(), "hub-nginx-"));
    owned.defer(() => rm(folder, { recursive: true }));
    ports = { https: await findFreePort(), http: await findFreePort() };
    hub = owned.use(await startHub({ env: readSettings(guide) }));
    await run(
      readLine(guide, "openssl req").replaceAll("sudo ", "").replaceAll("/etc/ssl/hub", folder),
    );
    certificate = await Bun.file(join(folder, "hub.crt")).text();
    const conf = readBlock(guide, "nginx")
      .replaceAll("listen 443 ssl", `listen 127.0.0.1:${ports.https} ssl`)
      .replaceAll("listen 80", `listen 127.0.0.1:${ports.http}`)
      .replaceAll("127.0.0.1:7420", `127.0.0.1:${hub.port}`)
      .replaceAll("/etc/ssl/hub", folder);
    await startNginx(owned, folder, conf);
    await waitFor(() =>
      ask("/ready").then(
        () => true,
        () => false,
      ),
    );
  });

  afterAll(() => owned.disposeAsync());

  test("The requests of the guide are answered as it shows", async () => {
    const steps = readConsoleSteps(guide);
    expect(steps).toHaveLength(2);
    for (const { command, output } of steps) {
      const [, path = ""] = /https:\/\/hub\.example\.com(\S+)$/.exec(command) ?? [];
      expect(await (await ask(path)).text()).toStartWith(output.trim().replace(/…$/, ""));
    }
  });

  test("Pages are sent by https only, with cookies that the browser keeps to itself", async () => {
    const page = await ask("/auth/login");
    expect(page.status).toBe(200);
    expect(page.headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(page.headers.get("set-cookie")).toContain("Secure");
    const plain = await fetch(`http://127.0.0.1:${ports.http}/help`, {
      redirect: "manual",
      headers: { host: name },
    });
    expect([plain.status, plain.headers.get("location")]).toEqual([301, `https://${name}/help`]);
  });

  test("OAuth names the public address, and clients call tools at it", async () => {
    const metadata = await (await ask("/.well-known/oauth-authorization-server")).json();
    expect(metadata).toMatchObject({
      issuer: `https://${name}`,
      token_endpoint: `https://${name}/oauth/token`,
    });
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "hub_list", arguments: {} },
    };
    const answer = await ask("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${hub.adminToken()}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        // This client is on the machine of the trusted proxy, so its header counts as a proxy's.
        "x-forwarded-for": "203.0.113.7",
      },
      body: JSON.stringify(call),
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"tools"');
    const [recorded] = (await hub.cli("runs", "--json")).json<Array<{ id: string }>>();
    const shown = await hub.cli("runs", "show", recorded?.id ?? "", "--json");
    expect(shown.json<{ ip_address: string }>().ip_address).toBe("203.0.113.7");
  });

  test("A body above the limit of nginx's default is answered by the hub", async () => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
      params: { a: "x".repeat(2_000_000) },
    });
    const headers = {
      authorization: `Bearer ${hub.adminToken()}`,
      "content-type": "application/json",
    };
    const answer = await ask("/mcp", { method: "POST", headers, body });
    expect(answer.headers.get("x-request-id")).not.toBeNull();
  });
});

/** The settings that the guide names, one `NAME=value` a line. */
function readSettings(guide: string): Record<string, string> {
  const lines = [...guide.matchAll(/^(HUB_\w+)=(.+)$/gm)];
  expect(lines).toHaveLength(2);
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}

function readLine(guide: string, part: string): string {
  return guide.split("\n").find((line) => line.includes(part) && line.startsWith("sudo ")) ?? "";
}

function readBlock(guide: string, language: string): string {
  return guide.split(`\n\`\`\`${language}\n`)[1]?.split("\n```\n")[0] ?? "";
}

async function run(command: string): Promise<void> {
  expect(command).not.toBe("");
  const child = Bun.spawn(["bash", "-c", command], { stdio: ["ignore", "ignore", "pipe"] });
  const errors = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(errors);
}

/** nginx includes the files of `conf.d` in its own configuration; this one has only what needs no root. */
async function startNginx(owned: AsyncDisposableStack, folder: string, conf: string) {
  await mkdir(join(folder, "temp"));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`)
    .join("\n");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temp}\n${conf}\n}\n`,
  );
  const args = ["-p", folder, "-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")];
  const tested = Bun.spawnSync(["nginx", "-t", ...args]);
  if (!tested.success) throw new Error(tested.stderr.toString());
  const nginx = Bun.spawn(["nginx", ...args], { stdio: ["ignore", "ignore", "ignore"] });
  endWithRunner(nginx);
  owned.defer(async () => {
    nginx.kill();
    await nginx.exited;
  });
}
