/**
 * What version 2 asks through ExecuteStream beside a connector's operations. The dot keeps them
 * apart: no operation's key can hold one.
 */
export const reservedOperations = {
  health: "hub.health",
  lookup: "hub.lookup",
  generate: "hub.generate",
} as const;
