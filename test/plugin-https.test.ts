/** A plugin published at GitHub and fetched over HTTPS, with a test certificate authority. */
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createSelfSigned } from "@hub/connector/plugin";
import { createDataFolder } from "./support/data-folder.ts";
import { type AuthorFolder, openAuthorFolder } from "./support/make-plugin.ts";
import { runCli } from "./support/run-cli.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
/** A certificate for `localhost`. */
const certificate = createSelfSigned();
let author: AuthorFolder;
let archive: string;
let caFile: string;
let site: ReturnType<typeof startSite>;
let pages: unknown[][];
let requests: Array<{ path: string; token: string | null }>;

beforeAll(async () => {
  const folder = owned.use(await createDataFolder()).path;
  caFile = join(folder, "ca.pem");
  await writeFile(caFile, certificate.certPem);
  site = startSite();
  owned.defer(() => site.stop(true));
  author = owned.use(
    await openAuthorFolder({
      NODE_EXTRA_CA_CERTS: caFile,
      GITHUB_API_URL: `https://localhost:${site.port}/api`,
      GITHUB_TOKEN: "forge-token",
    }),
  );
  await author.wick("init", "tracker");
  archive = await author.buildScript("tracker");
});
afterAll(() => owned.disposeAsync());
beforeEach(() => {
  requests = [];
});

/** GitHub's API at `/api`, its downloads, and the host to which the downloads redirect. */
function startSite() {
  return Bun.serve({
    hostname: "localhost",
    port: 0,
    tls: { cert: certificate.certPem, key: certificate.keyPem },
    fetch(req) {
      const { pathname, searchParams } = new URL(req.url);
      const token = req.headers.get("authorization");
      requests.push({ path: pathname, token });
      if (pathname === "/api/repos/acme/plugins/releases") {
        return Response.json(pages[Number(searchParams.get("page")) - 1] ?? []);
      }
      if (pathname.startsWith("/api-downloads/")) {
        return Response.redirect(`/objects/${basename(pathname)}`);
      }
      if (pathname.startsWith("/objects/")) {
        return new Response(Bun.file(join(author.path, "dist", basename(pathname))));
      }
      return Response.json({ message: "Not Found" }, { status: 404 });
    },
  });
}

const toDownload = (file: string) => `https://localhost:${site.port}/api-downloads/${file}`;

function toRelease(files: Array<{ name: string; digest?: string | null }>, more: object = {}) {
  const assets = files.map((file) => ({ ...file, browser_download_url: toDownload(file.name) }));
  return { draft: false, prerelease: false, assets, ...more };
}

async function readHash(path: string): Promise<string> {
  return new Bun.CryptoHasher("sha256").update(await readFile(path)).digest("hex");
}

describe("A catalog of a repository's releases", () => {
  test("A catalog of releases lists the newest version without drafts and previews, and the hub can install from it", async () => {
    const name = basename(archive);
    const other = name.replace(/-\w+-\w+\.zip$/, "-plan9-mips.zip");
    const sha256 = await readHash(archive);
    const older = name.replace("0.1.0", "0.0.9");
    pages = [
      [
        toRelease([{ name: name.replace("0.1.0", "9.0.0") }], { draft: true }),
        toRelease([{ name: name.replace("0.1.0", "8.0.0") }], { prerelease: true }),
        toRelease([{ name: older, digest: null }, { name: "checksums.txt" }]),
        ...Array.from({ length: 97 }, () => toRelease([])),
      ],
      [toRelease([{ name, digest: `sha256:${sha256}` }, { name: other }])],
    ];
    const made = await author.wick("catalog", "--repo", "acme/plugins", "--json");
    const [, os, arch] = /-(\w+)-(\w+)\.zip$/.exec(name) ?? [];
    const platform = `${os}/${arch}`;
    expect(made.json()).toEqual([
      {
        key: "tracker",
        name: "Tracker",
        description: expect.any(String),
        version: "0.1.0",
        assets: { [platform]: toDownload(name), "plan9/mips": toDownload(other) },
        sha256: { [platform]: sha256 },
      },
    ]);
    // A release can contain any address, so only the API gets the token.
    expect(new Set(requests.map(({ path, token }) => `${path.split("/")[1]} ${token}`))).toEqual(
      new Set(["api Bearer forge-token", "api-downloads null", "objects null"]),
    );

    await copyFile(join(author.path, "plugins.json"), join(author.path, "dist/plugins.json"));
    const catalog = `https://localhost:${site.port}/objects/plugins.json`;
    const hub = await openHub({ NODE_EXTRA_CA_CERTS: caFile, HUB_PLUGIN_CATALOG: catalog });
    expect((await hub("plugin", "install", "tracker", "--json")).json()).toMatchObject({
      key: "tracker",
      version: "0.1.0",
      problem: null,
    });
  });

  test("A catalog of an absent repository fails and writes no file", async () => {
    const failure = author.wick("catalog", "--repo", "acme/nothing", "--out", "none.json");
    await expect(failure).rejects.toThrow("answered 404");
    expect(await readdir(author.path)).not.toContain("none.json");
  });
});

describe("Installing from an address", () => {
  test("A plugin is installed over HTTPS with a trusted certificate", async () => {
    const hub = await openHub({ NODE_EXTRA_CA_CERTS: caFile });
    const installed = await hub("plugin", "install", toDownload(basename(archive)), "--json");
    expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(installed.json()).toMatchObject({ key: "tracker", problem: null });
  });

  test.each([
    ["by an unknown authority", "localhost", false],
    ["for another host name", "127.0.0.1", true],
  ])("A plugin from a host with a certificate %s is refused, even with --insecure", async (_, host, isTrusted) => {
    const hub = await openHub(isTrusted ? { NODE_EXTRA_CA_CERTS: caFile } : {});
    const address = toDownload(basename(archive)).replace("localhost", host);
    for (const flags of [[], ["--insecure"]]) {
      const refused = await hub("plugin", "install", address, "--json", ...flags);
      expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
      expect(JSON.parse(refused.stderr)).toMatchObject({
        code: "upstream_error",
        error: expect.stringContaining("certificate"),
      });
    }
    expect((await hub("plugin", "list", "--json")).json()).toEqual([]);
    expect(requests).toEqual([]);
  });
});

/** Runs the command line of a new hub. */
async function openHub(env: Record<string, string>) {
  const dataDir = owned.use(await createDataFolder()).path;
  return (...args: string[]) => runCli({ dataDir, env }, args);
}
