import { describe, expect, test } from "bun:test";
import type { TokenOwner } from "../store/database/hot-reads.ts";
import {
  authenticateBearer,
  authenticatePersonalToken,
  hashToken,
  type RequestAddress,
} from "./authenticate-bearer.ts";
import { createPersonalToken } from "./personal-token.ts";

const { token, tokenHash, lastFour } = createPersonalToken();
const owner: TokenOwner = {
  scope: "manage",
  tokenId: "t1",
  expiresAt: null,
  revokedAt: null,
  userId: "u1",
  email: "ada@example.com",
  name: "Ada",
  role: "user",
  status: "active",
  tags: ["red"],
  kind: "person",
  ownerId: null,
  bounds: null,
};

/** As the authorization server makes them. */
const oauthToken = `hub_oat_${"5a".repeat(16)}`;

async function authenticate(text: string, change: Partial<TokenOwner> = {}) {
  return await ask(authenticateBearer, text, change);
}

async function ask<Found>(
  find: (
    deps: Parameters<typeof authenticateBearer>[0],
    text: string,
    from: RequestAddress,
  ) => Promise<Found>,
  text: string,
  change: Partial<TokenOwner> = {},
  from: RequestAddress = { ip: "192.0.2.1" },
) {
  const uses: string[] = [];
  let looks = 0;
  const reads = {
    findTokenOwner: async (hash: Uint8Array) => {
      looks += 1;
      return Buffer.compare(hash, tokenHash) === 0 ? { ...owner, ...change } : null;
    },
    findOAuthTokenOwner: async (hash: Uint8Array) => {
      looks += 1;
      const isKnown = Buffer.compare(hash, hashToken(oauthToken)) === 0;
      return isKnown ? { ...owner, tokenId: "g1", expiresAt: 2000, ...change } : null;
    },
  };
  const caller = await find(
    { reads, now: () => 1000, recordUse: (id) => uses.push(id) },
    text,
    from,
  );
  return { caller, uses, looks };
}

describe("a personal access token", () => {
  test("A personal access token has the documented form and is stored as its SHA-256", () => {
    expect(token).toMatch(/^hub_pat_[0-9a-f]{32}$/);
    expect(lastFour).toBe(token.slice(-4));
    expect(Buffer.from(tokenHash).toString("hex")).toBe(
      new Bun.CryptoHasher("sha256").update(token).digest("hex"),
    );
    expect(hashToken(token)).toEqual(tokenHash);
  });

  test("A personal access token authenticates its user, and its use is recorded", async () => {
    const { caller, uses } = await authenticate(token);
    expect(caller).toMatchObject({ userId: "u1", role: "user", tokenId: "t1" });
    expect(caller?.tags).toEqual(new Set(["red"]));
    expect(uses).toEqual(["t1"]);
  });

  test("A personal access token is refused if revoked, expired, or if its user is not active", async () => {
    const changes: Array<Partial<TokenOwner>> = [
      { revokedAt: 1 },
      { expiresAt: 1000 },
      { status: "disabled" },
      { status: "pending" },
    ];
    for (const change of changes) {
      const { caller, uses } = await authenticate(token, change);
      expect([caller, uses]).toEqual([null, []]);
    }
    expect((await authenticate(token, { expiresAt: 1001 })).caller).not.toBeNull();
  });

  test("A token of another form is refused without a query", async () => {
    for (const text of [
      "",
      "hub_pat_",
      token.toUpperCase(),
      `${token}0`,
      `hub_xat_${"0".repeat(32)}`,
    ]) {
      expect(await authenticate(text)).toMatchObject({ caller: null, looks: 0 });
    }
  });
});

describe("an OAuth access token", () => {
  test("An OAuth access token authenticates its user with one query, and its grant is recorded as used", async () => {
    const { caller, uses, looks } = await authenticate(oauthToken);
    expect(caller).toMatchObject({ userId: "u1", role: "user", tokenId: "g1" });
    expect([uses, looks]).toEqual([["g1"], 1]);
  });

  test("An OAuth access token is refused if expired, unknown, or if its user is not active", async () => {
    const changes: Array<Partial<TokenOwner>> = [
      { expiresAt: 1000 },
      { status: "disabled" },
      { status: "pending" },
    ];
    for (const change of changes) {
      const { caller, uses } = await authenticate(oauthToken, change);
      expect([caller, uses]).toEqual([null, []]);
    }
    expect((await authenticate(`hub_oat_${"0".repeat(32)}`)).caller).toBeNull();
  });

  test("An OAuth access token is refused by endpoints for personal tokens", async () => {
    expect((await ask(authenticatePersonalToken, oauthToken)).looks).toBe(0);
    const { caller: bearer } = await ask(authenticatePersonalToken, token, { scope: "mcp" });
    expect(bearer).toMatchObject({ caller: { userId: "u1" }, scope: "mcp" });
  });

  test("An OAuth access token is not accepted as a personal token", async () => {
    expect((await authenticate(oauthToken.replace("oat", "pat"))).caller).toBeNull();
    expect((await authenticate(token.replace("pat", "oat"))).caller).toBeNull();
  });
});

/** Protects: a bound token opens nothing but MCP, and only for its addresses. */
describe("a bound token", () => {
  const rowId = "7f5e2a60-1111-4222-8333-444455556666";
  const bounds = JSON.stringify({ rows: [rowId], addresses: ["10.0.0.0/8", "fd00::7"] });
  const at = async (from: RequestAddress) =>
    (await ask(authenticateBearer, token, { bounds }, from)).caller;

  test("A bound token is unknown at another address than its own, and where the address is unknown", async () => {
    expect(await at({ ip: "10.9.8.7" })).toMatchObject({ bounds: { rows: [rowId] } });
    expect(await at({ ip: "fd00::7" })).not.toBeNull();
    for (const ip of ["11.0.0.1", "fd00::8", "", null]) expect(await at({ ip })).toBeNull();
  });

  test("The addresses do not travel with the call", async () => {
    const caller = await at("checked");
    expect(caller?.bounds).toEqual({ rows: [rowId] });
  });

  test("A bound token, and a token of a service user, have the scope mcp whatever is stored", async () => {
    const scopeOf = async (change: Partial<TokenOwner>) =>
      (await ask(authenticatePersonalToken, token, change)).caller?.scope;
    expect(await scopeOf({})).toBe("manage");
    expect(await scopeOf({ bounds: "{}" })).toBe("mcp");
    expect(await scopeOf({ kind: "service", ownerId: "u2" })).toBe("mcp");
  });

  test("Bounds that cannot be read open nothing", async () => {
    for (const broken of ["", "null", '{"rows":"all"}', '{"rows":["*"]}']) {
      await expect(ask(authenticateBearer, token, { bounds: broken })).rejects.toThrow();
    }
  });
});
