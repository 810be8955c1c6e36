import type { Random } from "./random.ts";

export type Frame = { bytes: Buffer; headers: Record<string, string> };

/** What became of one frame: `calls` says how many readable tools/calls it was. */
export type Tried = { outcome: string; calls: number; texts: string[] };

/** A door of the hub. */
export type Target = AsyncDisposable & {
  name: string;
  /** Sends all frames and waits for all answers. Throws where one is not as it should be. */
  tryAll(random: Random, frames: readonly Frame[]): Promise<Tried[]>;
  /** Ends the target and returns what it has logged. */
  close(): Promise<string>;
};
