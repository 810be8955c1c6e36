import { expect, test } from "bun:test";
import { isMcpUrl } from "./mcp-endpoint.ts";

test.each([
  "http://localhost:7420/mcp",
  "https://hub.example/mcp",
  "http://localhost:7420/mcp?access_token=x",
  "http://[::1]:7420/mcp#part",
])("%s is the MCP endpoint", (url) => {
  expect(isMcpUrl(url)).toBe(true);
});

test.each([
  "http://localhost:7420/",
  "http://localhost:7420/mcp/",
  "http://localhost:7420/mcps",
  "http://localhost:7420/MCP",
  "http://localhost:7420/x/mcp",
  "http://localhost:7420/?/mcp",
  "http://mcp/health",
])("%s is not the MCP endpoint", (url) => {
  expect(isMcpUrl(url)).toBe(false);
});
