const { hash } = Bun.password;
let users = 0;

/**
 * Hashes of passwords in this process cost little, as in the programs of tests (see `cheap-hashes.ts`), until the returned
 * function is called. Files that run later in the process have the true cost again.
 */
export function hashCheaply(): () => void {
  users += 1;
  Bun.password.hash = (password) =>
    hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
  return () => {
    users -= 1;
    if (users === 0) Bun.password.hash = hash;
  };
}
