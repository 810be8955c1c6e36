/**
 * Preloaded into hubs of tests that are not about passwords: hashes with the least memory and one
 * round. Each hash names its cost, so any hub can verify it.
 */
const { hash } = Bun.password;

Bun.password.hash = (password) =>
  hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
