/** Revisions with an `initialize` handshake, newest first. */
export const sessionVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Revisions in which every request names its version, newest first. */
export const statelessVersions = ["2026-07-28"] as const;

export function isSessionVersion(version: string): boolean {
  return (sessionVersions as readonly string[]).includes(version);
}

export function isStatelessVersion(version: unknown): boolean {
  return (statelessVersions as readonly unknown[]).includes(version);
}

/** Names that MCP reserves in `_meta`. */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The name of the extension by which clients follow calls that are not answered at once. */
export const tasksExtension = "io.modelcontextprotocol/tasks";
