import { describeDocument } from "./describe-document.ts";
import type { DocumentFilters } from "./document-filters.ts";
import type { DocumentJob, DocumentMessage } from "./document-job.ts";
import { DocumentFault, parseDocument } from "./parse-document.ts";
import { type LeftOutOperation, readDocument } from "./read-openapi-document.ts";
import { listAllServers } from "./read-servers.ts";

type Send = (message: DocumentMessage) => void;

const portionCharsMax = 256 * 1024;
/** The operations of one document in the hub's memory. */
const documentCharsMax = 48 * 1024 * 1024;
/** Of these, the names are sent. */
const leftOutMax = 5_000;

/** Reads a document at once, and sends what it has. A failure is the last message. */
export function doDocumentJob(job: DocumentJob, send: Send): void {
  try {
    read(job, send);
  } catch (thrown) {
    if (thrown instanceof DocumentFault) send({ kind: "refused", message: thrown.message });
    // The error's message could quote the document.
    else send({ kind: "broken", message: thrown instanceof Error ? thrown.name : "unknown" });
  }
}

function read({ document, filters, describes = false }: DocumentJob, send: Send): void {
  const text = typeof document === "string" ? document : new TextDecoder().decode(document);
  const parsed = parseDocument(text);
  if (filters === null) send({ kind: "servers", servers: listAllServers(parsed) });
  else sendOperations(parsed, filters, describes, send);
}

function sendOperations(
  parsed: Record<string, unknown>,
  filters: DocumentFilters,
  describes: boolean,
  send: Send,
): void {
  const leftOut: LeftOutOperation[] = [];
  let leftOutCount = 0;
  let rest = 0;
  let sent = 0;
  let portion: string[] = [];
  let chars = 0;
  const tags: Array<[string, string[]]> = [];
  const flush = () => {
    if (portion.length > 0) send({ kind: "operations", text: `[${portion.join(",")}]` });
    portion = [];
    chars = 0;
  };
  for (const one of readDocument(parsed, filters)) {
    if ("leftOut" in one) {
      const { count = 1 } = one.leftOut;
      leftOutCount += count;
      if (leftOut.length < leftOutMax) leftOut.push(one.leftOut);
      else rest += count;
      continue;
    }
    if (describes && one.tags.length > 0) tags.push([one.operation.sourceName, one.tags]);
    const written = JSON.stringify(one.operation);
    sent += written.length;
    if (sent > documentCharsMax) {
      throw new DocumentFault(
        "The operations of the document are too many to keep. Choose some of them by tags, paths or methods.",
      );
    }
    portion.push(written);
    chars += written.length;
    if (chars > portionCharsMax) flush();
  }
  flush();
  if (rest > 0) {
    const reason = `Only the first ${leftOutMax} operations that are left out are listed.`;
    leftOut.push({ sourceName: `${rest} more operations`, reason, count: rest });
  }
  if (describes) send({ kind: "about", about: describeDocument(parsed), tags });
  send({ kind: "done", leftOut, leftOutCount });
}
