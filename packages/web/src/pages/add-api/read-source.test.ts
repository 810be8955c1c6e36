import { expect, test } from "bun:test";
import { isClientFile, toSource } from "./read-source.ts";

test("One line with a host is an address, and all else is a document", () => {
  expect(toSource(" https://api.test/doc.json ")).toEqual({ address: "https://api.test/doc.json" });
  expect(toSource("api.test/doc.json")).toEqual({ address: "https://api.test/doc.json" });
  expect(toSource("http://localhost:80/x")).toEqual({ address: "http://localhost:80/x" });
  for (const document of ['{"openapi": "3.1.0"}', "openapi: 3.1.0\npaths: {}", "hello"]) {
    expect(toSource(document)).toEqual({ document });
  }
});

test("The file of an MCP client is recognized", () => {
  expect(isClientFile(toSource('{"mcpServers": {}}'))).toBe(true);
  expect(isClientFile(toSource('{"openapi": "3.1.0"}'))).toBe(false);
});
