import { resolve } from "node:path";
import type { HttpRequest } from "./http-request.ts";

type Saturation = { connections: number; seconds: number; expectedBody: string };

/** The part of autocannon's result that is used; its package has no types of its own. */
type AutocannonResult = {
  duration: number;
  requests: { total: number };
  errors: number;
  non2xx: number;
  mismatches: number;
};
type Autocannon = (options: Record<string, unknown>) => Promise<AutocannonResult>;

/**
 * As many requests as the server answers, each connection sending the next one when it has the
 * answer. Throws when any answer is not the expected one, byte for byte: errors are fast.
 */
export async function saturate(request: HttpRequest, load: Saturation): Promise<number> {
  const autocannon = await loadAutocannon();
  const result = await autocannon({
    url: request.url,
    method: "POST",
    headers: request.headers,
    body: request.body,
    connections: load.connections,
    duration: load.seconds,
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
  // By path and late: it is installed by the run itself, in this folder and not in the product's.
  const path = resolve(import.meta.dirname, "../node_modules/autocannon/autocannon.js");
  const module: { default: Autocannon } = await import(path);
  return module.default;
}
