import type { Bench, Measure } from "../measure.ts";
import { compareSizes } from "./growth.ts";

/** The cost of a call with many recorded calls, compared with none. */
export const audit: Measure = {
  name: "audit",
  run: (bench: Bench) =>
    compareSizes(bench, [
      { name: "0 audit rows", content: {} },
      {
        name: `${bench.plan.auditRows.toLocaleString("en")} audit rows`,
        content: { auditRows: bench.plan.auditRows },
      },
    ]),
};
