import type { LayoutInput, LayoutOutput } from "./graph/layout-graph.ts";

/** The address of the built worker, which the build writes here. */
declare const LAYOUT_WORKER: string;

/** Computes positions in a worker, because a large graph takes long. Null if the worker fails. */
export async function askLayout(input: LayoutInput): Promise<LayoutOutput | null> {
  const [positions = null] = await askLayouts([input]);
  return positions;
}

/** The same of several graphs, by one worker. */
export function askLayouts(
  inputs: readonly LayoutInput[],
): Promise<ReadonlyArray<LayoutOutput | null>> {
  if (inputs.length === 0) return Promise.resolve([]);
  return new Promise((resolve) => {
    const worker = new Worker(LAYOUT_WORKER, { type: "module" });
    const found: LayoutOutput[] = [];
    const end = () => {
      worker.terminate();
      resolve(inputs.map((_, at) => found[at] ?? null));
    };
    // It answers in the order of the questions.
    worker.onmessage = ({ data }: MessageEvent<LayoutOutput>) => {
      found.push(data);
      if (found.length === inputs.length) end();
    };
    worker.onerror = end;
    for (const input of inputs) worker.postMessage(input);
  });
}
