import { createHttpServer } from "@hub/server/http/server.ts";
import { openTestApp, token } from "@hub/server/http/testing/open-test-app.ts";
import { type HeaderProxy, startHeaderProxy } from "./add-header-proxy.ts";
import { fixtureTools } from "./fixture-tools.ts";

/** The hub's MCP and HTTP code with the tools of the suite instead of the meta-tools. */
export function startFixtureServer(): HeaderProxy {
  const server = createHttpServer({
    host: "127.0.0.1",
    port: 0,
    drainMs: 0,
    createApp: ({ port }) => openTestApp({ tools: fixtureTools, port }).app,
  });
  const proxy = startHeaderProxy(`http://127.0.0.1:${server.port}`, token);
  return {
    url: proxy.url,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}
