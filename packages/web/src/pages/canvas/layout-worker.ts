import { type LayoutInput, layoutGraph } from "./graph/layout-graph.ts";

/** Started by `ask-layout.ts`. Answers each graph with its positions. */
self.onmessage = ({ data }: MessageEvent<LayoutInput>) => {
  self.postMessage(layoutGraph(data));
};
