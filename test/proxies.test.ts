/** Connectors call hosts, never a proxy: docs/decisions/006-outbound-and-proxies.md. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { startEchoServer } from "./support/echo-server.ts";
import { startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

test("Calls ignore proxy variables of the environment, and connect to the checked address", async () => {
  await using echo = startEchoServer();
  let requests = 0;
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      requests += 1;
      return new Response("a proxy", { status: 502 });
    },
  });
  await using _ = { [Symbol.asyncDispose]: () => proxy.stop(true) };
  const address = `http://127.0.0.1:${proxy.port}`;
  const env = {
    HTTP_PROXY: address,
    http_proxy: address,
    HTTPS_PROXY: address,
    ALL_PROXY: address,
    NODE_USE_ENV_PROXY: "1",
  };
  await using hub = await startHub({ env });
  const added = await hub.cli(
    ...["row", "add", "http", "--label", "Echo", "--tag", "everyone", "--json"],
    ...["--set", `base_url=${echo.url}`],
  );
  const { id } = added.json<{ id: string }>();
  await using client = await connectHttp(hub.url, hub.adminToken());
  // The second request reuses the connection; the POST opens a new one.
  for (const operation of ["get", "get", "post"]) {
    const { value } = await client.execute(`conn:${id}/${operation}`, { path: "/echo" });
    expect(value).toMatchObject({ status: 200, body: { path: "/echo" } });
  }
  expect(requests).toBe(0);
  expect(echo.received).toHaveLength(3);
  await waitFor(() => hub.stderr().includes("do not use a proxy"));
});
