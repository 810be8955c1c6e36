import { afterEach, describe, expect, test } from "bun:test";
import { type Seen, startEchoServer } from "../testing/echo-server.ts";
import { openTestRow } from "../testing/open-row.ts";
import { petStore } from "../testing/pet-store.ts";

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});

type Handler = (req: Request, seen: readonly Seen[]) => Response | Promise<Response>;

/** A row whose token endpoint is at `/token` of the same server. */
async function openRow(handle: Handler, config: Record<string, string> = {}) {
  let nowMs = 0;
  const server = startEchoServer((req) => handle(req, server.seen));
  open.push(server);
  const row = openTestRow(
    {
      base_url: `${server.url}/v1`,
      auth_mode: "client_credentials",
      token_url: `${server.url}/token`,
      client_id: "hub",
      client_secret: "s ecret/0123",
      ...config,
    },
    { now: () => nowMs },
  );
  await row.discover(JSON.stringify(petStore));
  return {
    row,
    seen: server.seen,
    tokenRequests: () => server.seen.filter(({ at }) => at === "/token"),
    advance(byMs: number) {
      nowMs += byMs;
    },
  };
}

const isToken = (req: Request) => new URL(req.url).pathname === "/token";

let count = 0;
const giveToken: Handler = (req) => {
  if (!isToken(req)) return Response.json({ authorization: req.headers.get("authorization") });
  count += 1;
  return Response.json({ access_token: `token-${count}`, token_type: "bearer", expires_in: 3600 });
};

describe("an access token by client credentials", () => {
  test("is requested at token_url with the row's client, and masked", async () => {
    const { row, tokenRequests } = await openRow(giveToken, { scopes: "read write" });
    expect(await row.call("listPets")).toEqual({ authorization: `Bearer token-${count}` });
    const [request] = tokenRequests();
    const pair = Buffer.from("hub:s+ecret%2F0123").toString("base64");
    expect(request?.headers.authorization).toBe(`Basic ${pair}`);
    expect(request?.body).toBe("grant_type=client_credentials&scope=read+write");
    expect(row.masked).toContain(`token-${count}`);
    expect(row.masked).toContain(pair);
  });

  test("is requested with the client in the body if the row says so", async () => {
    const { row, tokenRequests } = await openRow(giveToken, { client_auth: "post" });
    await row.call("listPets");
    expect(tokenRequests()[0]?.body).toBe(
      "grant_type=client_credentials&client_id=hub&client_secret=s+ecret%2F0123",
    );
    expect(tokenRequests()[0]?.headers.authorization).toBeUndefined();
  });

  test("is kept until shortly before it ends", async () => {
    const { row, tokenRequests, advance } = await openRow(giveToken);
    await row.call("listPets");
    advance(3_569_000);
    await row.call("listPets");
    expect(tokenRequests()).toHaveLength(1);
    advance(2_000);
    await row.call("listPets");
    expect(tokenRequests()).toHaveLength(2);
  });

  test.each([
    ["client_id", "other"],
    ["client_secret", "another secret"],
    ["client_auth", "post"],
    ["scopes", "write"],
  ])("is requested again when %s of the row has changed", async (name, value) => {
    const { row, tokenRequests } = await openRow(giveToken);
    await row.call("listPets");
    const changed = { ...row.config, [name]: value };
    await row.call("listPets", {}, { config: changed });
    await row.call("listPets", {}, { config: changed });
    expect(tokenRequests()).toHaveLength(2);
  });

  test("is requested once for calls at the same time", async () => {
    const { row, tokenRequests } = await openRow(giveToken);
    await Promise.all(Array.from({ length: 10 }, () => row.call("listPets")));
    expect(tokenRequests()).toHaveLength(1);
  });

  test("is requested by a waiting call if the first one is cancelled", async () => {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { row } = await openRow(async (req, seen) => {
      if (isToken(req) && seen.length === 1) {
        arrived.resolve();
        await gate.promise;
      }
      return giveToken(req, seen);
    });
    const controller = new AbortController();
    const first = row.call("listPets", {}, { signal: controller.signal }).catch(() => "cancelled");
    await arrived.promise;
    const second = row.call("listPets");
    controller.abort(new Error("cancelled"));
    expect(await first).toBe("cancelled");
    expect(await second).toEqual({ authorization: `Bearer token-${count}` });
    gate.resolve();
  });

  test("is replaced once if the API refuses it", async () => {
    const { row, tokenRequests } = await openRow((req, seen) => {
      const refuses = !isToken(req) && seen.filter(({ at }) => at.startsWith("/v1")).length === 1;
      return refuses ? new Response("", { status: 401 }) : giveToken(req, seen);
    });
    expect(await row.call("listPets")).toEqual({ authorization: `Bearer token-${count}` });
    expect(tokenRequests()).toHaveLength(2);
  });

  test("that the server refuses is an error with the server's code", async () => {
    const { row } = await openRow(() =>
      Response.json({ error: "invalid_client" }, { status: 401 }),
    );
    await expect(row.call("listPets")).rejects.toThrow("It says: invalid_client.");
  });

  test("is refused without a part of the server's code, which could be a part of a secret", async () => {
    const error = `${"x".repeat(195)} s ecret/0123`;
    const { row } = await openRow(() => Response.json({ error }, { status: 401 }));
    await expect(row.call("listPets")).rejects.not.toThrow("It says");
    await expect(row.call("listPets")).rejects.toThrow("gave no access token (status 401). Ask");
  });

  test("is not requested at another address by a redirect", async () => {
    const { row, seen } = await openRow(() => Response.redirect("http://other.test/token", 307));
    await expect(row.call("listPets")).rejects.toThrow("does not follow redirects");
    expect(seen.length).toBeLessThanOrEqual(1);
  });
});
