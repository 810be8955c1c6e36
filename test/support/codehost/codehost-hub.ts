import { connectHttp } from "../connect-sdk-1.ts";
import { createDataFolder } from "../data-folder.ts";
import type { TestClient, ToolAnswer } from "../mcp-client.ts";
import { buildPluginCatalog } from "../plugin-catalog.ts";
import { type RunningHub, startHub } from "../start-hub.ts";

/** Calls one operation of one row through MCP. */
export type RunOperation = (
  operation: string,
  params?: Record<string, unknown>,
) => Promise<ToolAnswer>;

export type CodehostHub = AsyncDisposable & {
  hub: RunningHub;
  client: TestClient;
  /** Adds a row that everyone sees. An empty base URL selects the public host. */
  addRow(row: {
    label: string;
    baseUrl: string;
    token: string;
  }): Promise<{ id: string; run: RunOperation }>;
};

/** Starts a hub with the connector `codehost`, built from this checkout and installed from a catalog. */
export async function startCodehostHub(env: Record<string, string> = {}): Promise<CodehostHub> {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await createDataFolder());
  const catalog = await buildPluginCatalog(["codehost"], folder.path, "thin");
  const hub = owned.use(await startHub({ env: { ...env, HUB_PLUGIN_CATALOG: catalog } }));
  await hub.cli("plugin", "install", "codehost");
  const { token } = await hub.addUser("ada@example.com");
  const client = owned.use(await connectHttp(hub.url, token));
  const all = owned.move();
  return {
    hub,
    client,
    async addRow({ label, baseUrl, token }) {
      const flags = ["--label", label, "--tag", "everyone", "--secret-env", "token=CODEHOST_TOKEN"];
      const added = await hub.tryCli(
        ["row", "add", "codehost", ...flags, "--set", `base_url=${baseUrl}`, "--json"],
        { env: { CODEHOST_TOKEN: token } },
      );
      if (added.exitCode !== 0) throw new Error(added.stderr);
      const { id } = added.json<{ id: string }>();
      return {
        id,
        run: (operation, params = {}) => client.execute(`conn:${id}/${operation}`, params),
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
