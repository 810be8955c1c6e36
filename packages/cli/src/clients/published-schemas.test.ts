/** The written files have the shape that the clients' publishers ask for. */
import { describe, expect, test } from "bun:test";
import { allClients } from "./all-clients.ts";
import type { Client } from "./client-definition.ts";
import { addEntry, printEntry } from "./config-files/entry-edits.ts";
import { publishedSchemas } from "./testing/published-schemas.ts";

const server = {
  command: "/bin/bun",
  args: ["--cwd=/project", "main.ts", "mcp", "serve"],
  cwd: "/project",
  env: { HUB_DATA_DIR: "/data" },
};
const http = { url: "http://localhost:7420/mcp", headers: { Authorization: "Bearer hub_pat_1" } };

const cases = Object.entries(publishedSchemas).map(([id, schema]) => {
  const client = allClients.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  return [client.title, client, schema] as const;
});

describe.each(cases)("%s", (_, client, schema) => {
  const check = (text: string) => schema.safeParse(JSON.parse(text)).error?.issues ?? [];

  test("The file with a program has the published shape", () => {
    expect(check(printEntry(client, "hub", client.toStdioEntry(server)))).toEqual([]);
  });

  if (client.toHttpEntry !== null) {
    test("The file with an address and a token has the published shape", () => {
      expect(check(printEntry(client, "hub", toHttp(client)))).toEqual([]);
    });
  }

  test("A file with another server keeps the published shape", () => {
    const other = printEntry(client, "other", client.toStdioEntry({ ...server, args: [] }));
    const spot = { client, name: "hub", isOwn: () => false };
    const { text } = addEntry(spot, other, client.toStdioEntry(server), { replaces: false });
    expect(check(text)).toEqual([]);
    expect(Object.keys(JSON.parse(text)[client.container])).toEqual(["other", "hub"]);
  });

  test("Entries for other clients do not have the published shape", () => {
    const own = printEntry(client, "hub", client.toStdioEntry(server));
    const others = allClients
      .filter(({ format }) => format === "json")
      .map((other) => printEntry(other, "hub", other.toStdioEntry(server)))
      .filter((text) => text !== own && check(text).length === 0);
    expect(others).toEqual([]);
  });

  test.each([
    ["an unknown member", { ...client.toStdioEntry(server), workingDirectory: "/" }],
    ["a number in the command", { ...client.toStdioEntry(server), command: ["/bin/bun", 1] }],
    ["no command and no address", { args: [] }],
    ["a header that is not a text", { ...toHttp(client), headers: { Authorization: 1 } }],
  ])("An entry with %s does not have the published shape", (_, entry) => {
    expect(check(printEntry(client, "hub", entry))).not.toEqual([]);
  });
});

function toHttp(client: Client) {
  return client.toHttpEntry?.(http) ?? http;
}
