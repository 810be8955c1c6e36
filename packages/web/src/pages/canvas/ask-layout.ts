import type { LayoutInput, LayoutOutput } from "./graph/layout-graph.ts";

/** The address of the built worker, which the build writes here. */
declare const LAYOUT_WORKER: string;

/** Computes positions in a worker, because a large graph takes long. Null if the worker fails. */
export function askLayout(input: LayoutInput): Promise<LayoutOutput | null> {
  return new Promise((resolve) => {
    const worker = new Worker(LAYOUT_WORKER, { type: "module" });
    const end = (positions: LayoutOutput | null) => {
      worker.terminate();
      resolve(positions);
    };
    worker.onmessage = ({ data }: MessageEvent<LayoutOutput>) => end(data);
    worker.onerror = () => end(null);
    worker.postMessage(input);
  });
}
