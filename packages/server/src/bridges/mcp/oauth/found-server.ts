import type { ServerMetadata } from "./connection-secrets.ts";

/** The authorization server of a row's MCP server. */
export type FoundServer = {
  metadata: ServerMetadata;
  registrationEndpoint: string | null;
  /** Whether an address of a document may be a client id. */
  takesDocuments: boolean;
  /** Sent as `resource` (RFC 8707). Null for a server that takes none. */
  resource: string | null;
  /** To ask for; null for none. */
  scope: string | null;
};
