import type { Json } from "@hub/connector";
import type { HostContext } from "../logs-config-fields.ts";
import type { Window } from "../time/window.ts";
import { type RawEntry, readEntries } from "./read-entries.ts";
import { type FramesRequest, isOverLinesMax, linesMax, requestFrames } from "./request-frames.ts";

type EntriesRequest = Omit<FramesRequest, "lines"> & { limit: number };

export type FetchedEntries = { frames: Json[]; entries: RawEntry[]; isCutByHost: boolean };

/** Fetches the window's entries in order: one more than the limit, to see whether there are more. */
export async function fetchEntries(
  ctx: HostContext,
  request: EntriesRequest,
): Promise<FetchedEntries> {
  const { limit } = request;
  const wanted = Math.min(limit + 1, linesMax);
  const first = await fetchLines(ctx, request, wanted);
  // The host uses milliseconds. Lines in the first or last millisecond, but outside the window, may have
  // displaced lines of the window.
  const isCrowded = first.isCutByHost && first.entries.length < Math.min(wanted, first.sent);
  if (!isCrowded || first.lines === linesMax) return first;
  return await fetchLines(ctx, request, linesMax);
}

type FetchedLines = FetchedEntries & { lines: number; sent: number };

async function fetchLines(
  ctx: HostContext,
  request: EntriesRequest,
  wanted: number,
): Promise<FetchedLines> {
  const { frames, lines } = await tryFrames(ctx, request, wanted);
  const all = readEntries(frames, request.direction);
  const entries = all.filter(({ timeNs }) => !isRoundedIn(timeNs, request.window));
  return { frames, entries, lines, sent: all.length, isCutByHost: all.length >= lines };
}

/** Retries with the limit itself if the log store refuses one line more. */
async function tryFrames(
  ctx: HostContext,
  { limit, ...request }: EntriesRequest,
  wanted: number,
): Promise<{ frames: Json[]; lines: number }> {
  try {
    return { frames: await requestFrames(ctx, { ...request, lines: wanted }), lines: wanted };
  } catch (thrown) {
    if (wanted === limit || !isOverLinesMax(thrown)) throw thrown;
    return { frames: await requestFrames(ctx, { ...request, lines: limit }), lines: limit };
  }
}

/** Whether an entry is outside the window, which was widened to whole milliseconds. */
function isRoundedIn(timeNs: bigint, { startNs, endNs }: Window): boolean {
  const isBefore = timeNs < startNs && timeNs / nsPerMs === startNs / nsPerMs;
  const isAfter = timeNs >= endNs && timeNs / nsPerMs === endNs / nsPerMs && endNs % nsPerMs > 0n;
  return isBefore || isAfter;
}

const nsPerMs = 1_000_000n;
