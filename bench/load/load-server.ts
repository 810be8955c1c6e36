import { readCpuMs } from "../subjects/process-cost.ts";
import type { HttpRequest } from "./http-request.ts";
import { saturate } from "./saturate.ts";

const connectionsUsual = 32;

export type LoadedServer = {
  pid: number;
  request: HttpRequest;
  expectedBody: string;
  /** Ends after this many requests, for a server that stores them. */
  amount?: number;
};

export type Throughput = {
  perSecond: number;
  /** Processor time of the server per request; NaN outside Linux. */
  cpuUs: number;
  /** The share of one core that the server used. Far below 100, another resource was the bottleneck. */
  busyPercent: number;
};

/** Measures the maximum number of calls on 32 connections, or as many as given. */
export async function loadServer(
  server: LoadedServer,
  seconds: number,
  connections = connectionsUsual,
): Promise<Throughput> {
  const { pid, request, expectedBody, amount } = server;
  const cpuBeforeMs = (await readCpuMs(pid)) ?? Number.NaN;
  const startedAt = performance.now();
  const perSecond = await saturate(request, { connections, seconds, expectedBody, amount });
  const tookMs = performance.now() - startedAt;
  const cpuMs = ((await readCpuMs(pid)) ?? Number.NaN) - cpuBeforeMs;
  return {
    perSecond,
    cpuUs: (cpuMs * 1000) / (perSecond * (tookMs / 1000)),
    busyPercent: (100 * cpuMs) / tookMs,
  };
}
