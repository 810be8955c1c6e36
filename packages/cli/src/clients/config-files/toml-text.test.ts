import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { randomToml } from "../testing/random-toml.ts";
import { tomlText } from "./toml-text.ts";

const path = { container: "mcp_servers", name: "hub" };
const entry = { command: "/bin/hub", args: ["mcp", "serve"], env: { HUB_DATA_DIR: "/da\\ta" } };
const block = `[mcp_servers.hub]
command = "/bin/hub"
args = ["mcp", "serve"]

[mcp_servers.hub.env]
HUB_DATA_DIR = "/da\\\\ta"
`;

const set = (text: string) => tomlText.set(text, path, entry);
const remove = (text: string) => tomlText.remove(text, path, { keepsContainer: false });

describe("an entry is added", () => {
  test("An empty file gets the tables of the entry", () => {
    expect(set("")).toBe(block);
  });

  test("The tables come last, after one blank line, and the rest stays", () => {
    const text = '# mine\nmodel = "x" # m\n\n[tui]\nnotifications = true\n';
    expect(set(text)).toBe(`${text}\n${block}`);
  });

  test("Line breaks of Windows and the byte order mark stay", () => {
    const text = '\uFEFFmodel = "x"\r\n';
    expect(set(text)).toBe(`${text}\r\n${block.replaceAll("\n", "\r\n")}`);
  });

  test("Headers within texts and comments are not tables", () => {
    const text = 'a = """\n[mcp_servers.hub]\n"""\n# [mcp_servers.hub]\n';
    expect(tomlText.find(text, path)).toBeUndefined();
    expect(set(text)).toBe(`${text}\n${block}`);
  });

  test.each([
    ["dotted keys", 'mcp_servers.a.command = "x"\n'],
    ["a short table", '[mcp_servers]\na = { command = "x" }\n'],
    ["quoted keys", '[ "mcp_servers" . \'a\' ]\ncommand = "x"\n'],
  ])("Other servers may be written with %s", (_, text) => {
    expect(set(text)).toBe(`${text}\n${block}`);
    expect(remove(set(text))).toBe(text);
  });

  test("An entry of this name gets the new value at its place", () => {
    const before = "[a]\nx = 1\n\n";
    const after = '\n# next\n[mcp_servers.b]\nurl = "y"\n';
    const old = '[mcp_servers."hub"]\ncommand = "old"\n\n[mcp_servers.hub.env]\nA = "1"\n';
    expect(set(before + old + after)).toBe(before + block + after);
  });

  test("An entry in several places or with dotted keys becomes tables at the end", () => {
    const text = 'mcp_servers.hub.command = "old"\n[a]\nx = 1\n';
    expect(set(text)).toBe(`[a]\nx = 1\n\n${block}`);
  });

  test("Tables within the entry are written as tables", () => {
    const deep = { command: "x", tools: { hub_list: { approval_mode: "approve" } } };
    expect(tomlText.find(tomlText.set("", path, deep), path)).toEqual(deep);
  });
});

describe("an entry is removed", () => {
  test("Tables before and after it stay, with the comments", () => {
    const text = `[a]\nx = 1\n\n${block}\n# about b\n[mcp_servers.b]\nurl = "y"\n`;
    expect(remove(text)).toBe('[a]\nx = 1\n\n# about b\n[mcp_servers.b]\nurl = "y"\n');
  });

  test("A comment between its tables stays", () => {
    expect(remove(block.replace("\n\n", "\n# mine\n\n"))).toBe("# mine\n");
  });

  test("An empty container stays if it was there before", () => {
    const text = `[mcp_servers]\n\n${block}`;
    expect(tomlText.remove(text, path, { keepsContainer: true })).toBe("[mcp_servers]\n");
    expect(remove(text)).toBe("");
  });
});

describe("a file that cannot be edited is refused", () => {
  test.each([
    ["a missing value", "[a]\nx = ]\n", "line 2, column 5: "],
    ["a table twice", "[a]\n[a]\n", "line 2, column 2: "],
    ["servers in an inline table", 'mcp_servers = { a = { url = "x" } }\n', "inline table"],
    ["an entry in an inline table", 'mcp_servers = { hub = { url = "x" } }\n', "inline table"],
  ])("%s", (_, text, message) => {
    expect(() => set(text)).toThrow(message);
  });
});

test("An entry in an inline table of all servers is neither changed nor removed", () => {
  const text = 'mcp_servers = { hub = { command = "x" }, b = {} }\n';
  expect(() => set(text)).toThrow("inline table");
  expect(() => remove(text)).toThrow("inline table");
});

test("In any document, adding an entry only appends text, and removing it restores every byte", () => {
  let valid = 0;
  fc.assert(
    fc.property(randomToml, (text) => {
      const after = trySet(text);
      // Documents that are not valid, or have servers in an inline table, are refused.
      if (after === null || tomlText.find(text, path) !== undefined) return;
      valid += 1;
      expect(after).toStartWith(text);
      expect(tomlText.find(after, path)).toEqual(entry);
      const keepsContainer = tomlText.hasContainer(text, "mcp_servers");
      expect(tomlText.remove(after, path, { keepsContainer })).toBe(text);
    }),
    { numRuns: 100 },
  );
  // About 55 of 100 are valid.
  expect(valid).toBeGreaterThan(20);
});

function trySet(text: string): string | null {
  try {
    return set(text);
  } catch {
    return null;
  }
}
