import type { Random } from "./random.ts";

export type Frame = { bytes: Buffer; headers: Record<string, string> };

/** The outcome of one frame. `calls` is its number of readable tools/calls. */
export type FrameOutcome = { outcome: string; calls: number; texts: string[] };

/** A transport of the hub. */
export type Target = AsyncDisposable & {
  name: string;
  /** Sends all frames and waits for all answers. Throws if an answer is not as expected. */
  tryAll(random: Random, frames: readonly Frame[]): Promise<FrameOutcome[]>;
  /** Closes the target and returns its log. */
  close(): Promise<string>;
};
