import { cutText } from "@hub/connector";
import { listSecrets, type RowConfig } from "../logs-config-fields.ts";
import { toRfc3339 } from "../time/rfc3339.ts";
import { showWindow, type Window } from "../time/window.ts";
import type { EntryLabels, RawEntry } from "./read-entries.ts";

/** The maximum size of a page, below the hub's limit for results, with a margin for masking. */
export const pageBytesMax = 960 * 1024;

type Entry = { timestamp: string; line: string } & EntryLabels;

export type Page = {
  count: number;
  entries: Entry[];
  window: { start: string; end: string };
  truncated: boolean;
  /** Inputs of the next page. */
  next?: { start: string; end: string };
  note?: string;
};

type PageOptions = {
  window: Window;
  direction: "backward" | "forward";
  limit: number;
  /** Whether the host may have more lines than it sent. */
  isCutByHost: boolean;
};

/** Creates one page of ordered entries, with the start of the next page. */
export function toPage(
  { config }: { config: RowConfig },
  sorted: readonly RawEntry[],
  options: PageOptions,
): Page {
  const { window, direction, limit, isCutByHost } = options;
  const { entries, linesCut } = takeEntries(config, sorted.slice(0, limit));
  const last = sorted[entries.length - 1];
  const after = sorted[entries.length];
  const truncated = after !== undefined || isCutByHost;
  const notes: string[] = [];
  if (entries.length < Math.min(limit, sorted.length)) notes.push(sizeNote);
  if (linesCut > 0) notes.push(`Lines cut: ${linesCut}. They end in "[cut: …]".`);
  const page: Page = { count: entries.length, entries, window: showWindow(window), truncated };
  if (truncated && last !== undefined) {
    // If the next line has the same time, or is unknown, both pages include that time.
    const isShared = after === undefined || after.timeNs === last.timeNs;
    const next = toNextWindow(window, direction, last.timeNs, isShared);
    const isStuck = isShared && sorted[0]?.timeNs === last.timeNs;
    if (isStuck) notes.push(stuckNote);
    else {
      if (isShared) notes.push(`Lines of ${toRfc3339(last.timeNs)} come again on the next page.`);
      if (next.startNs < next.endNs) page.next = showWindow(next);
    }
  } else if (truncated) notes.push(stuckNote);
  if (notes.length > 0) page.note = notes.join(" ");
  return page;
}

const sizeNote = `The page ends before the limit, at ${pageBytesMax / 1024} KiB.`;

const stuckNote =
  "One timestamp has more lines than fit on the page. Raise limit, or narrow the query by a label or a line filter.";

/** The maximum length of a line, because one very long line would displace all others. */
const lineCharsMax = 8192;

function takeEntries(
  config: RowConfig,
  raw: readonly RawEntry[],
): { entries: Entry[]; linesCut: number } {
  const secrets = listSecrets(config);
  const entries: Entry[] = [];
  let bytes = 0;
  let linesCut = 0;
  for (const { timeNs, line, ...labels } of raw) {
    const begin = cutText(line, lineCharsMax, secrets);
    const cut = line.length - begin.length;
    const shown = cut === 0 ? line : `${begin} [cut: ${cut} more characters]`;
    const entry = { timestamp: toRfc3339(timeNs), ...labels, line: shown };
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (entries.length > 0 && bytes > pageBytesMax) break;
    if (cut > 0) linesCut += 1;
    entries.push(entry);
  }
  return { entries, linesCut };
}

function toNextWindow(
  { startNs, endNs }: Window,
  direction: "backward" | "forward",
  lastNs: bigint,
  isShared: boolean,
): Window {
  if (direction === "forward") return { startNs: isShared ? lastNs : lastNs + 1n, endNs };
  return { startNs, endNs: isShared ? lastNs + 1n : lastNs };
}
