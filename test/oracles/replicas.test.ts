/** Several servers on one database, behind nginx. `try-replicas.ts` does the same for longer. */
import { expect, test } from "bun:test";
import { hasNginx } from "./replicas/balancer.ts";
import { tryReplicas } from "./replicas/trial.ts";

test.skipIf(!hasNginx())(
  "Three servers record every call and obey every change at once, while servers and their database fail",
  async () => {
    const report = await tryReplicas({
      seed: 1,
      disturbances: ["kill", "pause", "crash", "cut", "restart"],
      pauseMs: 1000,
      httpWorkers: 3,
      callsBetween: 50,
    });
    expect(report.answered).toBeGreaterThan(250);
    expect(report.outside).toBeGreaterThan(10);
    expect(report.changes.obeyed).toBeGreaterThan(10);
  },
  180_000,
);
