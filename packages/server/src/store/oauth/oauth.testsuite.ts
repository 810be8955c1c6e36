import { describe, expect, test } from "bun:test";
import type { Db } from "../database/database.ts";
import { newUser } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser, updateUser } from "../users/users-table.ts";
import { insertOAuthAccessToken } from "./oauth-access-tokens.ts";
import {
  consumeOAuthArtifact,
  findOAuthArtifact,
  purgeExpiredOAuth,
  putOAuthArtifact,
} from "./oauth-artifacts.ts";
import {
  deleteOAuthGrant,
  insertOAuthGrant,
  listOAuthGrants,
  touchOAuthGrants,
} from "./oauth-grants.ts";

const tokenHash = new Uint8Array(32).fill(1);
const idHash = new Uint8Array(32).fill(2);
const sealed = new Uint8Array([1, 2, 3]);

async function arrange(db: Db) {
  const user = await insertUser(db, newUser({ tags: ["ops"] }));
  const access = { clientId: "c", scope: "mcp", resource: "https://hub.example/mcp" };
  const times = { createdAt: 1_000, expiresAt: 5_000 };
  const grant = { id: "g", userId: user.id, clientName: "C", redirectUri: "https://c.example/" };
  await insertOAuthGrant(db, { ...grant, ...access, ...times });
  const issue = () =>
    insertOAuthAccessToken(db, { tokenHash, grantId: "g", userId: user.id, ...access, ...times });
  const put = () =>
    putOAuthArtifact(db, { idHash, model: "RefreshToken", grantId: "g", sealed, expiresAt: 5_000 });
  return { user, issue, put };
}

/** The contract of every database for OAuth clients. */
export function describeOAuth(stores: () => TestStores): void {
  describe("OAuth", () => {
    test("The owner of an access token is the current one, and null after the grant ends", async () => {
      const { db, reads } = stores().store;
      const { user, issue } = await arrange(db);
      expect(await issue()).toBe(true);
      expect(await reads.findOAuthTokenOwner(tokenHash)).toMatchObject({
        tokenId: "g",
        expiresAt: 5_000,
        revokedAt: null,
        userId: user.id,
        status: "active",
        tags: ["ops", "everyone"],
      });
      await updateUser(db, user.id, { status: "disabled" }, Date.now());
      expect(await reads.findOAuthTokenOwner(tokenHash)).toMatchObject({ status: "disabled" });
      expect(await deleteOAuthGrant(db, "g")).toBe(true);
      expect(await deleteOAuthGrant(db, "g")).toBe(false);
      expect(await reads.findOAuthTokenOwner(tokenHash)).toBeNull();
    });

    test("Nothing is stored for an ended grant", async () => {
      const { db } = stores().store;
      const { issue, put } = await arrange(db);
      expect(await put()).toBe(true);
      await deleteOAuthGrant(db, "g");
      expect([await issue(), await put()]).toEqual([false, false]);
      expect(await findOAuthArtifact(db, "RefreshToken", idHash)).toBeNull();
    });

    test("An artifact is consumed once, across processes", async () => {
      const { db } = stores().store;
      const { put } = await arrange(db);
      await put();
      const other = await stores().openAnother();
      const both = [db, other.db, db].map((one) => consumeOAuthArtifact(one, idHash, 2_000));
      expect((await Promise.all(both)).filter((isFirst) => isFirst)).toHaveLength(1);
      // Another write does not reset it to unused.
      await put();
      expect(await findOAuthArtifact(db, "RefreshToken", idHash)).toMatchObject({
        consumedAt: 2_000,
      });
      expect(await findOAuthArtifact(db, "AuthorizationCode", idHash)).toBeNull();
    });

    test("The last use of a grant only moves forward", async () => {
      const { db } = stores().store;
      await arrange(db);
      await touchOAuthGrants(db, [
        { id: "g", at: 200 },
        { id: "g", at: 100 },
        { id: "gone", at: 300 },
      ]);
      expect(await listOAuthGrants(db, { now: 0 })).toMatchObject([{ lastUsedAt: 200 }]);
    });

    test("The purge deletes only expired items", async () => {
      const { db, reads } = stores().store;
      const { issue, put } = await arrange(db);
      await issue();
      await put();
      await purgeExpiredOAuth(db, 4_999);
      expect(await reads.findOAuthTokenOwner(tokenHash)).not.toBeNull();
      await purgeExpiredOAuth(db, 5_000);
      expect(await reads.findOAuthTokenOwner(tokenHash)).toBeNull();
      expect(await findOAuthArtifact(db, "RefreshToken", idHash)).toBeNull();
      expect(await listOAuthGrants(db, { now: 0 })).toEqual([]);
    });
  });
}
