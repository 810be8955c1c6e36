import type { Context } from "hono";
import type { Gauges, Metrics } from "../../lib/metrics/metrics.ts";
import type { AppEnv } from "../app-env.ts";

export type MetricsDeps = {
  metrics: Pick<Metrics, "write">;
  readGauges(): Promise<Gauges>;
};

/** Answers a scrape of Prometheus. */
export function answerMetrics({ metrics, readGauges }: MetricsDeps) {
  return async (_ctx: Context<AppEnv>): Promise<Response> => {
    const { text, contentType } = await metrics.write(await readGauges());
    return new Response(text, {
      headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
    });
  };
}
