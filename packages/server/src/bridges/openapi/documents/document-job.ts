import type { DocumentAbout } from "./describe-document.ts";
import type { DocumentFilters } from "./document-filters.ts";
import type { LeftOutOperation } from "./read-openapi-document.ts";
import type { DocumentServer } from "./read-servers.ts";

/** A document as the worker receives it. Without filters, its servers are read instead of its operations. */
export type DocumentJob = {
  document: Uint8Array | string;
  filters: DocumentFilters | null;
  /** Also sends what the document says beside its operations. */
  describes?: boolean;
};

/**
 * A message from the worker. Operations come as JSON texts in portions, so that the thread that
 * answers others reads each in a short time.
 */
export type DocumentMessage =
  | { kind: "operations"; text: string }
  | { kind: "servers"; servers: DocumentServer[] }
  | { kind: "about"; about: DocumentAbout; tags: Array<[sourceName: string, tags: string[]]> }
  | { kind: "done"; leftOut: LeftOutOperation[]; leftOutCount: number }
  | { kind: "refused"; message: string }
  | { kind: "broken"; message: string };
