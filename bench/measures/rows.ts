import type { Bench, Measure } from "../measure.ts";
import { compareSizes } from "./growth.ts";

/** The cost of a call with many rows, compared with few. */
export const rows: Measure = {
  name: "rows",
  run: (bench: Bench) =>
    compareSizes(bench, [
      { name: "10 rows", content: { httpRows: 9 } },
      { name: "1,000 rows", content: { httpRows: 999 } },
      { name: "10,000 rows", content: { httpRows: 9999 } },
    ]),
};
