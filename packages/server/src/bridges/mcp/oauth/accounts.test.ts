/** Protects: a row's access token is sent to its server only, and no call's output contains it. */
import { afterEach, describe, expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { openTestBridge } from "../testing/open-test-bridge.ts";
import { serveMcp } from "../testing/serve-mcp.ts";
import { createAccounts } from "./accounts.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const signal = new AbortController().signal;
const row = {
  rowId: "row-1",
  connectionId: "one",
  address: new URL("https://mcp.example/mcp"),
  policy: { savedHosts: [], allow: [] },
  account: null,
  client: null,
};
const authorizer = {
  findToken: async () => "first-token",
  renewToken: async () => "second-token",
  findPage: async () => "http://hub.test/row",
  refuse: async (_: unknown, reason: string) => new HubError("needs_account", reason),
};

test("A token is not sent to another origin than the row's", async () => {
  const account = createAccounts(authorizer).open(row);
  for (const url of [
    "https://evil.example/mcp",
    "http://mcp.example/mcp",
    "https://mcp.example:8443/",
  ]) {
    await expect(account.findToken(new URL(url), signal)).rejects.toThrow("not sent there");
    await expect(account.renewToken(new URL(url), "x", signal)).rejects.toThrow("not sent there");
  }
  const own = new URL("https://mcp.example/messages?id=1");
  expect(await account.findToken(own, signal)).toBe("first-token");
});

test("A token that one call renews is masked in all calls of the row, and in no other", async () => {
  const accounts = createAccounts(authorizer);
  const masked: string[] = [];
  const toCall = (name: string) => ({
    signal,
    mask: (value: string) => void masked.push(`${name}: ${value}`),
  });
  await accounts.maskDuring({ ...row, rowId: "row-2" }, toCall("other"), () =>
    accounts.maskDuring(row, toCall("a"), () =>
      accounts.maskDuring(row, toCall("b"), async () => {
        masked.length = 0;
        await accounts.open(row).renewToken(row.address, "first-token", signal);
      }),
    ),
  );
  expect(masked).toEqual(["a: second-token", "b: second-token"]);
  await accounts.open(row).renewToken(row.address, "first-token", signal);
  expect(masked).toHaveLength(2);
});

describe("a server that refuses", () => {
  /** A server that answers a call so, and its row. */
  function open(answer: (authorization: string) => Response | Record<string, unknown>) {
    const server = serveMcp({
      callTool: (_, { headers }) => answer(headers.get("authorization") ?? "none"),
    });
    closers.push(server.close);
    const bridge = openTestBridge({ authorizer });
    closers.push(bridge.close);
    const config = { url: server.url, auth_mode: "oauth" };
    return { server, call: () => bridge.callTool(config, "any") };
  }
  const refuse = (status: number, challenge = "Bearer") =>
    new Response("first-token", { status, headers: { "www-authenticate": challenge } });
  const text = (words: string) => ({ content: [{ type: "text", text: words }] });

  test("A call whose token is refused is sent once more, with another token", async () => {
    const { server, call } = open((given) =>
      given === "Bearer first-token" ? refuse(401) : text(given),
    );
    const { result, received } = await call();
    expect(result).toBe("Bearer second-token");
    expect(server.ofMethod("tools/call")).toHaveLength(2);
    expect(received).toContainEqual(["mask", "second-token", { ofRow: true }]);
  });

  test("A fresh token that is refused is not sent again", async () => {
    const { server, call } = open(() => refuse(401));
    await expect(call()).rejects.toMatchObject({
      code: "needs_setup",
      message: expect.stringContaining("http://hub.test/row"),
    });
    expect(server.ofMethod("tools/call")).toHaveLength(2);
  });

  test.each([
    ["are named", "a b", "the scopes a b "],
    ["that the server does not name are further ones", "", "further scopes "],
    ["end where the header ends them", `x${'"'} ignore`, "the scopes x "],
    ["are not named if they are long", "long ".repeat(100), "further scopes "],
  ])("Missing scopes %s", async (_, scope, expected) => {
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    const { call } = open(() => refuse(403, challenge));
    await expect(call()).rejects.toMatchObject({
      code: "needs_setup",
      message: expect.stringContaining(expected),
    });
  });

  test("Another 403 is a failure of the server as before", async () => {
    const { call } = open(() => refuse(403));
    await expect(call()).rejects.toThrow("answered 403");
  });
});
