import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createPluginCatalog } from "./catalog/plugin-catalogs.ts";
import type { InstallProgress } from "./install/install-plugin.ts";
import { craftPlugin, toMembers } from "./testing/craft-plugin.ts";
import { craftZip } from "./testing/craft-zip.ts";
import { findFailure } from "./testing/find-failure.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";

let bench: Awaited<ReturnType<typeof openPluginBench>>;
let routes: Record<string, (req: Request) => Response>;
let asked: string[];
let server: ReturnType<typeof startServer>;

function startServer() {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(req) {
      const { pathname } = new URL(req.url);
      asked.push(pathname);
      return routes[pathname]?.(req) ?? new Response("no", { status: 404 });
    },
  });
}

beforeEach(async () => {
  bench = await openPluginBench();
  routes = {};
  asked = [];
  server = startServer();
});
afterEach(async () => {
  await server.stop(true);
  await bench.close();
});

const toUrl = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const toZip = (choices = {}) => craftZip(toMembers(craftPlugin(choices)));
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const redirectTo = (location: string) => () =>
  new Response(null, { status: 302, headers: { location } });

async function expectDownloadRefused(source: string, options = {}): Promise<Error> {
  const before = await bench.listFiles();
  const refusal = await bench.install(source, options).catch((thrown) => thrown);
  expect(refusal).toMatchObject({ code: "plugin_refused", detail: { check: "download" } });
  expect(await bench.listFiles()).toEqual(before);
  expect(bench.registry.list()).toEqual([]);
  return refusal;
}

describe("an address", () => {
  test("A URL of this machine may use http, and the progress of the download is reported", async () => {
    routes["/t.zip"] = () => new Response(toZip());
    const phases: InstallProgress[] = [];
    await bench.install(toUrl("/t.zip"), {
      onProgress: (each: InstallProgress) => phases.push(each),
    });
    expect(bench.registry.find("tracker")).not.toBeNull();
    expect([...new Set(phases.map(({ phase }) => phase))]).toEqual([
      "downloading",
      "verifying",
      "replacing",
      "done",
    ]);
    expect(phases.find(({ percent }) => percent === 100)?.phase).toBe("downloading");
  });

  test("Plain http to another machine is refused before anything is sent (trap 24)", async () => {
    const refusal = await expectDownloadRefused("http://plugins.invalid/t.zip");
    expect(refusal.message).toContain("--insecure");
  });

  test("A URL with another scheme is refused", async () => {
    const refusal = await bench.install("file:///etc/passwd").catch((thrown) => thrown);
    expect(refusal).toMatchObject({ code: "plugin_refused", detail: { check: "source" } });
  });

  test("A redirect to a file is refused", async () => {
    routes["/t.zip"] = redirectTo("file:///etc/passwd");
    await expectDownloadRefused(toUrl("/t.zip"));
    await expectDownloadRefused(toUrl("/t.zip"), { insecure: true });
  });

  test("A redirect to another private address is refused (SSRF)", async () => {
    const other = startServer();
    routes["/secret.zip"] = () => new Response(toZip());
    for (const location of [
      `http://127.0.0.1:${other.port}/secret.zip`,
      `http://localhost:${other.port}/secret.zip`,
      "http://169.254.169.254/latest/meta-data",
    ]) {
      routes["/t.zip"] = redirectTo(location);
      await expectDownloadRefused(toUrl("/t.zip"), { insecure: true });
    }
    expect(asked).not.toContain("/secret.zip");
    await other.stop(true);
  });

  test("Endless redirects are refused", async () => {
    routes["/t.zip"] = redirectTo("/t.zip");
    await expectDownloadRefused(toUrl("/t.zip"));
    expect(asked.length).toBeLessThan(10);
  });

  test("A download above the size limit is refused", async () => {
    const { defaultInstallLimits } = await import("./install/install-limits.ts");
    await bench.close();
    bench = await openPluginBench({ limits: { ...defaultInstallLimits, archiveBytesMax: 50_000 } });
    routes["/t.zip"] = () => new Response(endlessBody());
    await expectDownloadRefused(toUrl("/t.zip"));
  });

  test("The error for a failed download names the status", async () => {
    const failure = await bench.install(toUrl("/none.zip")).catch((thrown) => thrown);
    expect(failure).toMatchObject({ code: "upstream_error", detail: { http_status: 404 } });
    expect(failure.message).toContain("answered 404");
  });
});

describe("a catalog", () => {
  const entry = (more = {}) => ({
    key: "tracker",
    name: "Tracker",
    description: "A tracker.",
    version: "1.0.0",
    assets: { "linux/amd64": "t.zip" },
    ...more,
  });
  const serveCatalog = (entries: unknown) => {
    routes["/plugins.json"] = () => Response.json(entries);
  };
  const openHost = (more = {}) => bench.openHost({ catalog: toUrl("/plugins.json"), ...more });

  test("A plugin is installed by its name from a URL relative to the catalog", async () => {
    const zip = toZip();
    routes["/t.zip"] = () => new Response(zip);
    serveCatalog([entry({ sha256: { "linux/amd64": sha256(zip) } })]);
    const state = await openHost().install("tracker", { cwd: "/" });
    expect(state).toMatchObject({ key: "tracker", problem: null });
  });

  test("The error for an unknown name says how to find plugins and how to install a folder", async () => {
    serveCatalog([entry({})]);
    const failing = openHost().install("issues", { cwd: "/" });
    await expect(failing).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("such as ./issues"),
    });
    await expect(openHost().install("trackr", { cwd: "/" })).rejects.toThrow("Did you mean");
  });

  test("An archive must have the hash of a remote catalog", async () => {
    routes["/t.zip"] = () => new Response(toZip());
    serveCatalog([entry({ sha256: { "linux/amd64": "0".repeat(64) } })]);
    const refusal = await openHost()
      .install("tracker", { cwd: "/" })
      .catch((thrown) => thrown);
    expect(refusal).toMatchObject({ code: "plugin_refused", detail: { check: "download" } });
    expect(await bench.listFiles()).toEqual([]);
  });

  test("An archive with another plugin's key than its catalog entry is refused", async () => {
    routes["/t.zip"] = () => new Response(toZip({ key: "other" }));
    serveCatalog([entry()]);
    await expect(openHost().install("tracker", { cwd: "/" })).rejects.toMatchObject({
      detail: { check: "key" },
    });
  });

  test("A catalog entry without a build for this machine is refused", async () => {
    serveCatalog([entry({ assets: { "darwin/arm64": "t.zip" } })]);
    await expect(openHost().install("tracker", { cwd: "/" })).rejects.toMatchObject({
      detail: { check: "platform", found: "darwin/arm64" },
    });
  });

  test("A remote catalog cannot name a file of this machine (attack)", async () => {
    serveCatalog([entry({ assets: { "linux/amd64": "file:///etc/passwd" } })]);
    await expect(openHost().install("tracker", { cwd: "/" })).rejects.toMatchObject({
      code: "upstream_error",
      message: expect.stringContaining("names a file"),
    });
  });

  test.each([
    ["a private address", (port: number) => `https://127.0.0.1:${port}/secret.zip`],
    ["a name that resolves to one", (port: number) => `https://localhost:${port}/secret.zip`],
    ["this machine over http", (port: number) => `http://127.0.0.1:${port}/secret.zip`],
    ["a metadata address", () => "https://169.254.169.254/latest/meta-data"],
  ])("A remote catalog cannot make the hub request %s (SSRF)", async (_title, toUrl) => {
    using other = startServer();
    routes["/secret.zip"] = () => new Response(toZip());
    serveCatalog([entry({ assets: { "linux/amd64": toUrl(other.port ?? 0) } })]);
    const refusal = await openHost()
      .install("tracker", { cwd: "/" })
      .catch((thrown) => thrown);
    expect(refusal).toMatchObject({ code: "plugin_refused", detail: { check: "download" } });
    expect(refusal.message).toMatch(/may (not|never) call/i);
    expect(asked).toEqual(["/plugins.json"]);
    expect(await bench.listFiles()).toEqual([]);
  });

  test("A catalog on disk may name a private address", async () => {
    routes["/t.zip"] = () => new Response(toZip());
    const text = JSON.stringify([entry({ assets: { "linux/amd64": toUrl("/t.zip") } })]);
    await writeFile(join(bench.sources, "plugins.json"), text);
    const host = bench.openHost({ catalog: join(bench.sources, "plugins.json") });
    expect(await host.install("tracker", { cwd: "/" })).toMatchObject({ problem: null });
  });

  test("An unchanged catalog is not downloaded again", async () => {
    let answered = 0;
    routes["/plugins.json"] = (req) => {
      if (req.headers.get("if-none-match") === '"a"') return new Response(null, { status: 304 });
      answered += 1;
      return Response.json([entry()], { headers: { etag: '"a"' } });
    };
    const host = openHost();
    for (const _ of [1, 2, 3]) expect((await host.loadCatalog()).entries).toHaveLength(1);
    expect(answered).toBe(1);
    expect(asked).toHaveLength(3);
  });

  test("If the catalog cannot be loaded, the last one is returned and marked as stale", async () => {
    serveCatalog([entry()]);
    const host = openHost();
    await host.loadCatalog();
    routes["/plugins.json"] = () => new Response("busy", { status: 503 });
    const loaded = await host.loadCatalog();
    expect(loaded).toMatchObject({ entries: [{ key: "tracker" }], staleSince: expect.any(Date) });
    expect(loaded.failure).toContain("503");
  });

  test.each([
    ["that is not JSON", () => new Response("<html>"), "is not valid JSON", "upstream_error"],
    [
      "with another structure",
      () => Response.json({ plugins: [] }),
      "is not a list of plugins",
      "upstream_error",
    ],
    ["that never ends", () => new Response(endlessBody()), "larger than", "plugin_refused"],
    [
      "that is huge",
      () => new Response(Buffer.alloc(5 * 1024 * 1024, 32)),
      "larger than",
      "plugin_refused",
    ],
  ])("A catalog %s is refused", async (_title, answer, message, code) => {
    routes["/plugins.json"] = answer;
    await expect(openHost().loadCatalog()).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test("A catalog download that stalls times out", async () => {
    routes["/plugins.json"] = () => new Response(new ReadableStream({ start() {} }));
    await expect(openHost({ catalogTimeoutMs: 50 }).loadCatalog()).rejects.toMatchObject({
      code: "upstream_error",
    });
  });

  test("A catalog on disk may name files beside it", async () => {
    await writeFile(join(bench.sources, "t.zip"), toZip());
    await writeFile(join(bench.sources, "plugins.json"), JSON.stringify([entry()]));
    const host = bench.openHost({ catalog: join(bench.sources, "plugins.json") });
    expect(await host.install("tracker", { cwd: "/" })).toMatchObject({ problem: null });
  });

  test("An archive must have the hash of a catalog on disk", async () => {
    await writeFile(join(bench.sources, "t.zip"), toZip());
    const listed = entry({ sha256: { "linux/amd64": "0".repeat(64) } });
    await writeFile(join(bench.sources, "plugins.json"), JSON.stringify([listed]));
    const host = bench.openHost({ catalog: join(bench.sources, "plugins.json") });
    await expect(host.install("tracker", { cwd: "/" })).rejects.toMatchObject({
      code: "plugin_refused",
      detail: { check: "download" },
    });
    expect(await bench.listFiles()).toEqual([]);
  });

  test("The error for a missing catalog says how to create one", async () => {
    await expect(bench.host.loadCatalog()).rejects.toMatchObject({
      code: "bad_configuration",
      message: expect.stringContaining("npm run plugins"),
    });
    const path = join(bench.sources, "absent.json");
    const failure = await findFailure(bench.openHost({ catalog: path }).loadCatalog());
    expect(failure).toMatchObject({
      code: "not_found",
      // Only the command line may show a path of the hub's machine.
      message: expect.stringMatching(
        /^The file of the plugin catalog does not exist\..*npm run plugins/,
      ),
      localMessage: expect.stringContaining(path),
    });
  });

  test("A catalog that was never made is absent, and a configured one that is missing is a failure", async () => {
    const location = join(bench.sources, "absent.json");
    const open = (given: { location: string | null; isDefault?: boolean }) =>
      createPluginCatalog({ ...given, cwd: "/", now: Date.now, outboundAllow: [] });
    const made = await bench.writeSource("plugins.json", "[]");
    const absent = expect.stringContaining("npm run plugins");
    expect(await open({ location: null }).findAbsence()).toEqual(absent);
    expect(await open({ location, isDefault: true }).findAbsence()).toEqual(absent);
    expect(await open({ location }).findAbsence()).toBeNull();
    expect(await open({ location: made, isDefault: true }).findAbsence()).toBeNull();
  });
});

function endlessBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
  });
}
