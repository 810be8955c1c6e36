import { isJsonObject, type Json, UpstreamError } from "@hub/connector";
import { toRefusal } from "../host-error.ts";
import type { HostContext } from "../logs-config-fields.ts";
import { readDatasourceUid, requestJson, toShapeError } from "../request-logs.ts";
import type { Window } from "../time/window.ts";

/** The maximum number of lines that log stores return for one query. */
export const linesMax = 5000;

/** The approximate maximum number of points of each series. */
const pointsWanted = 60;

export type FramesRequest = {
  query: string;
  window: Window;
  direction: "backward" | "forward";
  lines: number;
};

/** Requests the data frames of a query. */
export async function requestFrames(
  ctx: HostContext,
  request: FramesRequest,
  signal?: AbortSignal,
): Promise<Json[]> {
  const { query, window, direction, lines } = request;
  const fromMs = window.startNs / nsPerMs;
  const toMs = (window.endNs + nsPerMs - 1n) / nsPerMs;
  const answer = await requestJson(ctx, {
    path: "/api/ds/query?ds_type=loki",
    ...(signal !== undefined && { signal }),
    body: {
      from: fromMs.toString(),
      to: toMs.toString(),
      queries: [
        {
          refId: "A",
          datasource: { type: "loki", uid: readDatasourceUid(ctx) },
          expr: query,
          queryType: "range",
          maxLines: lines,
          direction,
          intervalMs: Math.max(1000, Math.ceil(Number(toMs - fromMs) / pointsWanted)),
          maxDataPoints: pointsWanted,
        },
      ],
    },
  });
  return readFrames(ctx, answer);
}

const nsPerMs = 1_000_000n;

/** Whether the error says that the log store allows fewer lines than requested. */
export function isOverLinesMax(thrown: unknown): boolean {
  return thrown instanceof UpstreamError && /max.entries.limit/i.test(thrown.message);
}

function readFrames({ config }: HostContext, answer: Json): Json[] {
  const results = isJsonObject(answer) ? answer.results : undefined;
  const result = isJsonObject(results) ? results.A : undefined;
  if (!isJsonObject(result)) throw toShapeError();
  // The host also answers 200 if the log store refused the query.
  if (typeof result.error === "string" && result.error !== "") {
    throw toRefusal(config, { status: toStatus(result.status), hostMessage: result.error });
  }
  const { frames } = result;
  if (frames === undefined || frames === null) return [];
  if (!Array.isArray(frames)) throw toShapeError();
  return frames;
}

function toStatus(status: Json): number | undefined {
  return typeof status === "number" && status >= 400 && status <= 599 ? status : undefined;
}
