import type { Context } from "hono";
import type { ErrorCode } from "../../errors.ts";
import type { Tallies } from "../../lib/tallies.ts";
import type { AppEnv } from "../app-env.ts";
import type { Figures } from "./figures.ts";

export type MetricsDeps = {
  tallies: Pick<Tallies, "list">;
  refusals: { counts(): ReadonlyMap<ErrorCode, number> };
  /** What is so at this moment. */
  readFigures(): Promise<Figures>;
};

/** The figures as Prometheus reads them. What writes them is loaded when they are first asked for. */
export function answerMetrics(deps: MetricsDeps) {
  return async (_ctx: Context<AppEnv>): Promise<Response> => {
    const { writeMetrics } = await import("./write-metrics.ts");
    const { text, contentType } = await writeMetrics({
      tallies: deps.tallies.list(),
      refusals: deps.refusals.counts(),
      figures: await deps.readFigures(),
    });
    return new Response(text, {
      headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
    });
  };
}
