import { expect, test } from "bun:test";
import { ada } from "../mcp/testing/open-test-mcp.ts";
import { isMcpUrl } from "./mcp-endpoint.ts";
import { mcpRequest, openTestApp, ping } from "./testing/open-test-app.ts";

test.each([
  "http://localhost:7420/mcp",
  "https://hub.example/mcp",
  "http://localhost:7420/mcp?access_token=x",
  "http://[::1]:7420/mcp#part",
  "http://localhost:7420/mcp/",
  "http://localhost:7420/mcp/?x=1",
])("%s is the MCP endpoint", (url) => {
  expect(isMcpUrl(url)).toBe(true);
});

test.each([
  "http://localhost:7420/",
  "http://localhost:7420/mcp//",
  "http://localhost:7420/mcp/x",
  "http://localhost:7420/mcps",
  "http://localhost:7420/MCP",
  "http://localhost:7420/x/mcp",
  "http://localhost:7420/?/mcp",
  "http://mcp/health",
])("%s is not the MCP endpoint", (url) => {
  expect(isMcpUrl(url)).toBe(false);
});

test("The sender of a body that arrives slowly is checked again when it has arrived", async () => {
  let isRevoked = false;
  const { app, timers } = openTestApp({ authenticate: async () => (isRevoked ? null : ada) });
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      timers.advance(5_000);
      isRevoked = true;
      controller.enqueue(new TextEncoder().encode(ping));
      controller.close();
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const response = await app.request(mcpRequest({ body }));
  expect(response.status).toBe(401);
});
