import { postRpc } from "../../test/support/rpc.ts";
import type { CostFixture } from "./open-cost-fixture.ts";

/** The tools that the hub has. */
export async function listHubTools({ hub, mcpToken }: CostFixture): Promise<string[]> {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const headers = { accept: "application/json" };
  const { result } = Object(await (await postRpc(hub.url, mcpToken, message, headers)).json());
  return result.tools.map(({ name }: { name: string }) => name);
}

/** The routes of its management API. */
export async function listHubRoutes({ hub }: CostFixture): Promise<string[]> {
  const { paths } = Object(await (await fetch(`${hub.url}/openapi.json`)).json());
  return Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
