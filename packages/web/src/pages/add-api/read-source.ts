import type { ConnectionPlan } from "@hub/contract/connection-plan.ts";

/** What is read: the address of a document or of a server, or the text of a document. */
export type Source = { address: string } | { document: string };

/** What was read, and from where. */
export type Read = { source: Source; plan: ConnectionPlan };

/** A text of one line is an address; `https://` may be left out. */
export function toSource(text: string): Source {
  const trimmed = text.trim();
  if (/[\r\n{]/.test(trimmed) || trimmed.length > 2_000) return { document: text };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return { address: trimmed };
  // A host with a dot or a port, and a path.
  return /^[\w-]+(?:\.[\w-]+|:\d)/.test(trimmed)
    ? { address: `https://${trimmed}` }
    : { document: text };
}

/** Whether a text is the file of an MCP client, which has a page of its own. */
export function isClientFile(source: Source): boolean {
  if (!("document" in source)) return false;
  return /"(?:mcpServers|mcp_servers|context_servers)"\s*:/.test(source.document.slice(0, 20_000));
}
