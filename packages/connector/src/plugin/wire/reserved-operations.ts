/**
 * The functions of version 2 in addition to operations, called through ExecuteStream. Keys of
 * operations cannot contain a dot, so the names never collide.
 */
export const reservedOperations = {
  health: "hub.health",
  lookup: "hub.lookup",
  generate: "hub.generate",
} as const;
