/**
 * Makes the hashes of passwords cheap in the compiled programs of tests: the least memory and one round. Each hash names its cost,
 * so any hub can verify it, and a password that does not exist is still compared at the full cost. Otherwise the hash of the
 * first admin's password is a quarter of the processor time of a start.
 */
const { hash } = Bun.password;

Bun.password.hash = (password) =>
  hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

export {};
