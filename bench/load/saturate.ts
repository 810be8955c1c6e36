import { resolve } from "node:path";
import type { HttpRequest } from "./http-request.ts";

type Saturation = {
  connections: number;
  seconds: number;
  expectedBody: string;
  /** Ends after this many requests instead. */
  amount?: number | undefined;
};

/** The used part of autocannon's result. Its package has no types. */
type AutocannonResult = {
  duration: number;
  requests: { total: number };
  errors: number;
  non2xx: number;
  mismatches: number;
};
type Autocannon = (options: Record<string, unknown>) => Promise<AutocannonResult>;

/**
 * Sends as many requests as the server answers. Each connection sends the next request after the answer.
 * Throws if an answer differs from the expected bytes, because errors are fast.
 */
export async function saturate(request: HttpRequest, load: Saturation): Promise<number> {
  const autocannon = await loadAutocannon();
  const result = await autocannon({
    url: request.url,
    method: "POST",
    headers: request.headers,
    body: request.body,
    connections: load.connections,
    ...(load.amount === undefined ? { duration: load.seconds } : { amount: load.amount }),
    sampleInt: 100,
    expectBody: load.expectedBody,
  });
  const faults = result.errors + result.non2xx + result.mismatches;
  if (faults > 0) {
    const { errors, non2xx, mismatches } = result;
    throw new Error(
      `${request.url}: ${errors} errors, ${non2xx} answers other than 2xx, ${mismatches} other bodies`,
    );
  }
  return result.requests.total / result.duration;
}

async function loadAutocannon(): Promise<Autocannon> {
  // A late import by path, because the run installs it into this folder and not the product's.
  const path = resolve(import.meta.dirname, "../node_modules/autocannon/autocannon.js");
  const module: { default: Autocannon } = await import(path);
  return module.default;
}
