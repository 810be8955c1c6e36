/** The guide to a hub on a server: its certificate, its files for proxies and its requests, with the real OpenSSL and proxies. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readConsoleSteps } from "../support/console-blocks.ts";
import { findFreePort } from "../support/free-port.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { guideProxies, readGuideLine, runGuideLine } from "./support/guide-proxies.ts";

setDefaultTimeout(180_000);

const name = "hub.example.com";
const guidePath = resolve(import.meta.dirname, "../../docs/guide/on-a-server.md");
const hasOpenssl = Bun.which("openssl") !== null;

for (const proxy of guideProxies) {
  const isThere = hasOpenssl && Bun.which(proxy.program) !== null;
  describe.skipIf(!isThere)(`A hub behind ${proxy.program} as the guide sets it up`, () => {
    const owned = new AsyncDisposableStack();
    let guide: string;
    let folder: string;
    let hub: RunningHub;
    let ports: { https: number; http: number };
    let certificate: string;
    /** A request to the public address, which leads to the proxy on this machine. */
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
      folder = await mkdtemp(join(tmpdir(), "hub-proxy-"));
      owned.defer(() => rm(folder, { recursive: true }));
      ports = { https: await findFreePort(), http: await findFreePort() };
      hub = owned.use(await startHub({ env: readSettings(guide) }));
      await runGuideLine(readGuideLine(guide, "openssl req", folder));
      certificate = await Bun.file(join(folder, "hub.crt")).text();
      await proxy.start(owned, { guide, folder, hub: hub.port, ports });
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
      expect(plain.status).toBeWithin(301, 309);
      const location = new URL(plain.headers.get("location") ?? "");
      expect([location.protocol, location.hostname, location.pathname]).toEqual([
        "https:",
        name,
        "/help",
      ]);
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
      expect(shown.json<{ ip_address: string }>().ip_address).toBe(
        proxy.recordedFor("203.0.113.7"),
      );
    });

    test("A body above the limit of a proxy's default is answered by the hub", async () => {
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

    test("A stream arrives while its operation still runs", async () => {
      const answered = Promise.withResolvers<Response>();
      const outside = Bun.serve({ port: 0, fetch: () => answered.promise });
      owned.defer(() => outside.stop(true));
      const base = `base_url=http://localhost:${outside.port}`;
      const added = await hub.cli("row", "add", "http", "--label", "Slow", "--set", base, "--json");
      const { id } = added.json<{ id: string }>();
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "hub_execute",
          arguments: { tool_id: `conn:${id}/get`, params: { path: "/" } },
        },
      };
      const headers = {
        authorization: `Bearer ${hub.adminToken()}`,
        "content-type": "application/json",
        accept: "text/event-stream",
      };
      const answer = await ask("/mcp", { method: "POST", headers, body: JSON.stringify(call) });
      expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
      answered.resolve(Response.json({ late: true }));
      expect(await answer.text()).toContain("late");
    });
  });
}

/** The settings that the guide names, one `NAME=value` a line. */
function readSettings(guide: string): Record<string, string> {
  const lines = [...guide.matchAll(/^(HUB_\w+)=(.+)$/gm)];
  expect(lines).toHaveLength(2);
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}
