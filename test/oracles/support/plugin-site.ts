import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { craftPlugin, toMembers } from "@hub/server/plugins/testing/craft-plugin.ts";
import { craftZip } from "@hub/server/plugins/testing/craft-zip.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { openAuthorFolder } from "../../support/make-plugin.ts";

type Entry = {
  key: string;
  name: string;
  description: string;
  version: string;
  assets: Record<string, string>;
  /** SHA-256 of each archive, in hexadecimal, by platform. */
  sha256?: Record<string, string>;
};

/** A web site with a catalog, as a publisher of plugins has it. */
export type PluginSite = AsyncDisposable & {
  /** For HUB_PLUGIN_CATALOG. */
  catalog: string;
  /** Offers version 0.1.0 or 0.2.0 of the plugin `tracker`, which says hello. */
  offerTracker(version: "0.1.0" | "0.2.0"): void;
  /** The archive of a version of `tracker`. */
  readTracker(version: "0.1.0" | "0.2.0"): Uint8Array;
  /** Adds a plugin whose program is never started. */
  offer(plugin: { key: string; name: string; description: string; icon?: string }): void;
  /** Adds an entry as it is. */
  addEntry(entry: Entry): void;
  /** Downloads stop halfway until the returned function is called. */
  holdDownloads(): () => void;
  /** While true, the catalog answers 503. */
  isDown: boolean;
};

const platform = findHostPlatform();

export async function openPluginSite(): Promise<PluginSite> {
  await using owned = new AsyncDisposableStack();
  const author = owned.use(await openAuthorFolder());
  const files = new Map<string, Uint8Array>();
  const entries = new Map<string, Entry>();
  const add = (key: string, version: string, zip: Uint8Array): Record<string, string> => {
    const file = `${key}-${version}.zip`;
    files.set(file, zip);
    return { [platform]: file };
  };

  await author.wick("init", "tracker");
  const source = join(author.path, "tracker", "package.json");
  add("tracker", "0.1.0", await readFile(await author.buildScript("tracker")));
  await writeFile(source, (await readFile(source, "utf8")).replace('"0.1.0"', '"0.2.0"'));
  add("tracker", "0.2.0", await readFile(await author.buildScript("tracker")));

  let held: Promise<void> = Promise.resolve();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(req) {
      const name = basename(new URL(req.url).pathname);
      if (name === "plugins.json") {
        return site.isDown
          ? new Response("busy", { status: 503 })
          : Response.json([...entries.values()]);
      }
      const bytes = files.get(name);
      if (bytes === undefined) return new Response("not found", { status: 404 });
      const half = Math.floor(bytes.length / 2);
      const body = async function* () {
        yield bytes.slice(0, half);
        await held;
        yield bytes.slice(half);
      };
      return new Response(body(), { headers: { "content-length": String(bytes.length) } });
    },
  });
  owned.defer(() => server.stop(true));
  const resources = owned.move();

  const site: PluginSite = {
    catalog: `${server.url}plugins.json`,
    isDown: false,
    offerTracker(version) {
      const file = `tracker-${version}.zip`;
      const assets = { [platform]: file };
      const sha256 = { [platform]: toHash(files.get(file) ?? new Uint8Array()) };
      const description = "Greets a person by name.";
      entries.set("tracker", {
        key: "tracker",
        name: "Tracker",
        description,
        version,
        assets,
        sha256,
      });
    },
    readTracker: (version) => files.get(`tracker-${version}.zip`) ?? new Uint8Array(),
    offer({ key, name, description, icon = "" }) {
      const plugin = craftPlugin({
        key,
        manifest: {
          os_arch: [platform],
          module: {
            Meta: { Key: key, Name: name, Description: description, Icon: icon },
            Configs: [],
            Operations: [{ Key: "go", Name: name, Description: description }],
            OAuth: null,
          },
        },
      });
      const assets = add(key, "1.0.0", craftZip(toMembers(plugin)));
      entries.set(key, { key, name, description, version: "1.0.0", assets });
    },
    addEntry: (entry) => void entries.set(entry.key, entry),
    holdDownloads() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  site.offerTracker("0.1.0");
  return site;
}

function toHash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
