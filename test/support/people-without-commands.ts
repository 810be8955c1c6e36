import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { addUser } from "@hub/server/services/users/add-user.ts";
import { createToken } from "@hub/server/services/users/manage-tokens.ts";
import { openStore } from "@hub/server/store/open-store.ts";
import type { Store } from "@hub/server/store/store.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";

type UserToken = { email: string; token: string; tokenId: string };

/**
 * Does what `hub user add` and `hub token create` do, in the process of the test and with one opening of the database: a tenth
 * of the processor time of the two commands. Only for SQLite.
 */
export async function addUserWithToken(
  dataDir: string,
  { email, tags, admin }: { email: string; tags: string[]; admin: boolean },
): Promise<UserToken> {
  return await useStore(dataDir, async (store) => {
    const deps = { store, now: Date.now, config };
    const role = admin ? "admin" : "user";
    const { id } = await addUser(deps, commandLineActor, { email, tags, role });
    const made = await createToken(deps, commandLineActor, id, { name: "test" });
    return { email, token: made.token, tokenId: made.id };
  });
}

/** Does what `hub token create --scope manage` does for a user who exists. */
export async function createManageToken(dataDir: string, email: string): Promise<string> {
  return await useStore(dataDir, async (store) => {
    const user = await findUserByEmail(store.db, email);
    if (user === null) throw new Error(`There is no user "${email}".`);
    const input = { name: "manage", scope: "manage" } as const;
    const made = await createToken(
      { store, now: Date.now, config },
      commandLineActor,
      user.id,
      input,
    );
    return made.token;
  });
}

/** The default. */
const config = { boundTokenDaysMax: 365, oidcIssuer: null };

async function useStore<Result>(dataDir: string, use: (store: Store) => Promise<Result>) {
  const store = await openStore({ dataDir });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
