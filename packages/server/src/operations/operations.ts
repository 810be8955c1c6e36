import type { Json } from "@hub/connector";
import type { Caller } from "../caller.ts";

/** Where a call came from, as the audit row tells it. */
export type CallOrigin = {
  source: "mcp" | "test" | "retry";
  ip: string | null;
  userAgent: string | null;
};

/** Progress of a running operation; `message` is sealed before anyone sees it. */
export type ProgressReport = { done: number; total?: number; message?: string };

/** What every call carries through the pipeline. */
export type CallContext = {
  caller: Caller;
  origin: CallOrigin;
  /** Aborts when the client cancels or, where its era says so, leaves. */
  signal: AbortSignal;
  onProgress?: (report: ProgressReport) => void;
  parentRunId?: string;
};
