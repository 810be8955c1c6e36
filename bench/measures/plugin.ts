import type { Bench, Measure } from "../measure.ts";
import { createWorkFolder } from "../subjects/work-folder.ts";
import { measurePluginCalls } from "./plugin-calls.ts";
import { measureLargeResult } from "./plugin-large-result.ts";
import { measureNeighbour } from "./plugin-neighbour.ts";
import { measurePluginStart } from "./plugin-start.ts";

/** Measures of plugins: calls compared with a built-in connector, starts, large results, a hanging plugin. */
export const plugin: Measure = {
  name: "plugin",
  async run(bench: Bench) {
    const folder = await createWorkFolder(bench);
    return [
      ...(await measurePluginCalls(bench, folder)),
      await measurePluginStart(bench, folder),
      await measureLargeResult(bench, folder),
      await measureNeighbour(bench, folder),
    ];
  },
};
