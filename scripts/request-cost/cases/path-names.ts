/** The names of all path parameters. */
export const pathNames = [
  "row",
  "field",
  "operation",
  "input",
  "run",
  "user",
  "identity",
  "factor",
  "token",
  "session",
  "application",
  "setting",
  "key",
  "workflow",
  "version",
  "secret",
  "channel",
  "account",
  "link",
  "approval",
  "node",
  "rule",
  "call",
  "permit",
  "client",
  "issuer",
  "source",
  "reference",
] as const;
export type PathName = (typeof pathNames)[number];

export function isPathName(name: string): name is PathName {
  return (pathNames as readonly string[]).includes(name);
}
