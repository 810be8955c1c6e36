import { describe, expect, test } from "bun:test";
import { amount } from "@hub/server/lib/testing/amount.ts";
import fc from "fast-check";
import { allClients } from "../all-clients.ts";
import type { Client } from "../client-definition.ts";
import type { EntryTarget } from "../own-entry.ts";
import { randomJsonc } from "../testing/random-jsonc.ts";
import { randomToml } from "../testing/random-toml.ts";
import { addEntry, type EntrySpot, findEntry, removeEntry } from "./entry-edits.ts";

const server = {
  command: "/bin/hub",
  args: ["mcp", "serve"],
  env: { HUB_DATA_DIR: "/data" },
};
const isOwn = (target: EntryTarget) => target.kind === "stdio" && target.dataDir === "/data";
const keep = { replaces: false };

const toSpot = (client: Client): EntrySpot => ({ client, name: "hub", isOwn });

describe.each(allClients.map((client) => [client.title, client] as const))("%s", (_, client) => {
  const spot = toSpot(client);
  const entry = client.toStdioEntry(server);
  const isToml = client.format === "toml";

  const shapes: Array<[string, string | null]> = [
    ["missing", null],
    ["empty", ""],
    ["with one line break", "\n"],
    ["with a comment alone", isToml ? "# a" : "// a"],
    ["with comments", isToml ? "# a\nx = 1 # b\n# c\n" : '{\n  // a\n  "x": 1 /* b */\n}\n'],
    ["with tabs", isToml ? "\t[a]\n\tx\t=\t1\n" : '{\n\t"a": {\n\t\t"x": 1\n\t}\n}\n'],
    ["with line breaks of Windows", isToml ? "[a]\r\nx = 1\r\n" : '{\r\n  "x": 1\r\n}\r\n'],
    ["with a byte order mark", isToml ? "\uFEFFx = 1\n" : '\uFEFF{\n  "x": 1\n}\n'],
    ["without a line break at its end", isToml ? "x = 1" : '{"x": 1}'],
    [
      "with other servers and unknown keys",
      isToml
        ? `[unknown]\ny = [1]\n\n[${client.container}.other]\ncommand = "o"\n`
        : `{"unknown": [1], "${client.container}": {"other": {"command": "o"}}}`,
    ],
    [
      "with a container that is empty",
      isToml ? `[${client.container}]\n` : `{"${client.container}": { }}`,
    ],
  ];

  test.each(shapes)("A file %s is as before after an installation and its removal", (_, text) => {
    const added = addEntry(spot, text, entry, keep);
    expect(added.outcome).toBe("installed");
    expect(findEntry(spot, added.text)).toEqual(entry);
    expect(addEntry(spot, added.text, entry, keep)).toEqual({
      text: added.text,
      outcome: "unchanged",
    });
    expect(removeEntry(spot, added.text, text)).toEqual({ text, outcome: "removed" });
    expect(removeEntry(spot, text, text)).toEqual({ text, outcome: "absent" });
  });

  test("Changes of others after the installation stay when the entry is removed", () => {
    const before = isToml ? "x = 1\n" : '{\n  "x": 1\n}\n';
    const added = addEntry(spot, before, entry, keep).text;
    const edited = isToml ? `y = 2\n${added}` : added.replace("{", '{\n  "y": 2,');
    const rest = isToml ? `y = 2\n${before}` : before.replace("{", '{\n  "y": 2,');
    expect(removeEntry(spot, edited, before).text).toBe(rest);
  });

  test("Another server of the same name is neither replaced nor removed", () => {
    const foreign = addEntry(spot, null, client.toStdioEntry({ ...server, args: ["serve"] }), keep);
    expect(() => addEntry(spot, foreign.text, entry, keep)).toThrow('it has another server "hub"');
    expect(() => removeEntry(spot, foreign.text, null)).toThrow("is not an entry of this hub");
    const replaced = addEntry(spot, foreign.text, entry, { replaces: true });
    expect(findEntry(spot, replaced.text)).toEqual(entry);
  });

  test("The entry of a hub with another data folder is not replaced, and the folder is named", () => {
    const env = { HUB_DATA_DIR: "/elsewhere" };
    const foreign = addEntry(spot, null, client.toStdioEntry({ ...server, env }), keep);
    expect(() => addEntry(spot, foreign.text, entry, keep)).toThrow("data folder /elsewhere");
    expect(() => removeEntry(spot, foreign.text, null)).toThrow("data folder /elsewhere");
  });

  test("An update keeps what the user added to the entry", () => {
    const old = client.toStdioEntry({ ...server, command: "/old/hub" });
    const variables = "environment" in old ? "environment" : "env";
    const mine = {
      ...old,
      cwd: "/gone",
      trust: true,
      [variables]: { HUB_DATA_DIR: "/data", HUB_ENC_KEY: "k" },
    };
    const text = addEntry(spot, null, mine, keep).text;
    const updated = addEntry(spot, text, entry, keep);
    expect(updated.outcome).toBe("updated");
    expect(findEntry(spot, updated.text)).toEqual({
      ...entry,
      trust: true,
      [variables]: { HUB_DATA_DIR: "/data", HUB_ENC_KEY: "k" },
    });
  });
});

test("In any JSON, an installation and its removal restore every byte", () => {
  const [client] = allClients;
  if (client === undefined) throw new Error("There is no client.");
  fc.assert(
    fc.property(randomJsonc, (text) => isRestored(toSpot(client), text)),
    { numRuns: amount(40, 100) },
  );
});

test("In any TOML, an installation and its removal restore every byte", () => {
  const client = allClients.find(({ format }) => format === "toml");
  if (client === undefined) throw new Error("There is no client.");
  fc.assert(
    fc.property(randomToml, (text) => isRestored(toSpot(client), text)),
    { numRuns: amount(40, 100) },
  );
});

/** Documents that are refused, or have a server of this name, count as restored. */
function isRestored(spot: EntrySpot, text: string): boolean {
  try {
    if (findEntry(spot, text) !== undefined) return true;
  } catch {
    return true;
  }
  const added = tryAdd(spot, text);
  return added === null || removeEntry(spot, added, text).text === text;
}

function tryAdd(spot: EntrySpot, text: string): string | null {
  try {
    return addEntry(spot, text, spot.client.toStdioEntry(server), keep).text;
  } catch {
    return null;
  }
}
