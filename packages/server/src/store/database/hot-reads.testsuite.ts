import { expect, test } from "bun:test";
import { newToken, newUser } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { waitForCommits } from "../testing/wait-for-commits.ts";
import { insertToken, revokeToken } from "../users/tokens-table.ts";
import { insertUser, updateUser } from "../users/users-table.ts";
import { inSnapshot } from "./kysely.ts";

/** What is kept of the owners of tokens is current. */
export function describeHotReads(stores: () => TestStores): void {
  /** A token, and its owner as the store that is tested reads it. */
  async function openToken() {
    const { db, reads } = stores().store;
    const user = await insertUser(db, newUser({ tags: ["ops"] }));
    const { tokenHash, ...token } = newToken(user.id, 1);
    const { id } = await insertToken(db, { ...token, tokenHash });
    const findStatus = async () => (await reads.findTokenOwner(tokenHash))?.status;
    return { user, id, tokenHash, findStatus };
  }

  test("The owner of a token is current after a change by the same store", async () => {
    const { db, reads } = stores().store;
    const { user, id, tokenHash, findStatus } = await openToken();
    expect(await findStatus()).toBe("active");
    await updateUser(db, user.id, { status: "disabled" }, Date.now());
    expect(await findStatus()).toBe("disabled");
    await revokeToken(db, id, 5);
    expect((await reads.findTokenOwner(tokenHash))?.revokedAt).toBe(5);
  });

  test("The owner of a token is current after a change by another store", async () => {
    const { user, findStatus } = await openToken();
    const another = await stores().openAnother();
    expect(await findStatus()).toBe("active");
    await updateUser(another.db, user.id, { status: "disabled" }, Date.now());
    await waitForCommits();
    expect(await findStatus()).toBe("disabled");
  });

  test("The owner of a token is current while a snapshot of the database is open", async () => {
    const { db } = stores().store;
    const { user, findStatus } = await openToken();
    const another = await stores().openAnother();
    await inSnapshot(db, async (kysely) => {
      await kysely.selectFrom("users").selectAll().execute();
      expect(await findStatus()).toBe("active");
      await updateUser(another.db, user.id, { status: "disabled" }, Date.now());
      expect(await findStatus()).toBe("disabled");
    });
    expect(await findStatus()).toBe("disabled");
  });

  test("An unknown token that is created later is found", async () => {
    const { db, reads } = stores().store;
    const user = await insertUser(db, newUser());
    const token = newToken(user.id, 1);
    expect(await reads.findTokenOwner(token.tokenHash)).toBeNull();
    await insertToken(db, token);
    expect(await reads.findTokenOwner(token.tokenHash)).not.toBeNull();
  });
}
