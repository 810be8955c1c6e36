import { type Integer, InvalidInputError, OutboundError } from "@hub/connector";
import type { HostContext } from "../logs-config-fields.ts";
import { fetchEntries } from "../query/fetch-entries.ts";
import { findHint } from "../query/find-hint.ts";
import { cutSeries, readSeries } from "../query/read-series.ts";
import { linesMax } from "../query/request-frames.ts";
import { pageBytesMax, toPage } from "../query/to-page.ts";
import { readWindow, showWindow } from "../time/window.ts";

type QueryParams = {
  query: string;
  start?: string | undefined;
  end?: string | undefined;
  limit: Integer;
  direction: "backward" | "forward";
};

/** Requests lines or numbers once, and a hint if there are none. */
export async function runQuery(ctx: HostContext & { params: QueryParams }): Promise<unknown> {
  const { query, direction } = ctx.params;
  if (query.trim() === "") {
    throw new InvalidInputError("query", 'must not be empty. An example is {app="api"}');
  }
  const limit = toLimit(ctx.params.limit);
  const window = readWindow(ctx.params, { defaultHours: 1 });
  const request = { query, window, direction, limit };
  const { frames, entries, isCutByHost } = await fetchEntries(ctx, request).catch(explainSize);
  const series = readSeries(frames, window);
  if (series.length > 0) return toSeriesAnswer(series, { window, limit });
  const page = toPage(ctx, entries, { window, direction, limit, isCutByHost });
  if (entries.length > 0 || page.truncated) return page;
  return { ...page, hint: await findHint(ctx, query, window) };
}

function toLimit(given: Integer): number {
  if (given < 1) throw new InvalidInputError("limit", "must be at least 1");
  return given > linesMax ? linesMax : Number(given);
}

function toSeriesAnswer(
  series: ReturnType<typeof readSeries>,
  { window, limit }: { window: Parameters<typeof showWindow>[0]; limit: number },
): unknown {
  const { shown, isCut } = cutSeries(series, { bytesMax: pageBytesMax, countMax: limit });
  return {
    count: 0,
    entries: [],
    series: shown,
    window: showWindow(window),
    truncated: isCut,
    ...(isCut && { note: toCutNote(shown.length, series.length) }),
  };
}

function toCutNote(shown: number, all: number): string {
  return `${shown} of ${all} series. Aggregate with sum by (label) (…) or topk(10, …), or raise limit.`;
}

function explainSize(thrown: unknown): never {
  if (thrown instanceof OutboundError && thrown.code === "body_too_large") {
    throw new Error(
      "The answer is too large. Ask for fewer lines with limit, for a shorter window, or for shorter lines with | line_format.",
      { cause: thrown },
    );
  }
  throw thrown;
}
