import { expect, test } from "bun:test";
import { findMcpAddress } from "./mcp-address.ts";

test.each([
  "http://localhost:7420/mcp",
  "https://hub.example/mcp",
  "http://localhost:7420/mcp?access_token=x",
  "http://[::1]:7420/mcp#part",
  "http://localhost:7420/mcp/",
  "http://localhost:7420/mcp/?x=1",
])("%s is an address of MCP, for everything that its callers may use", (url) => {
  expect(findMcpAddress(url)).toEqual({ scope: null });
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
])("%s is not an address of MCP", (url) => {
  expect(findMcpAddress(url)).toBeNull();
});
