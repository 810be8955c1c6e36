/**
 * Preloaded into hubs of tests that are not about passwords: hashes with the least memory and one
 * round. Each hash names its cost, so any hub can verify it. A key from a passphrase takes as little, whatever
 * cost is asked for, so that only these hubs open what they sealed.
 */
import "./cheap-hashes.ts";

// Not imported, because what others import by name is set by the first import.
const nodeCrypto = process.getBuiltinModule("node:crypto");
const { argon2 } = nodeCrypto;

const deriveCheaply: typeof argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, callback);
nodeCrypto.argon2 = deriveCheaply;
