import { expect, test } from "bun:test";
import Counter from "prom-client/lib/counter.js";
import Registry from "prom-client/lib/registry.js";
import { createCounterSums } from "./counter-sums.ts";

test("A counter gets each sum once, by its labels", async () => {
  const registry = new Registry();
  const labelNames = ["door", "status"] as const;
  const counter = new Counter({
    name: "requests",
    help: "Requests.",
    labelNames,
    registers: [registry],
  });
  const sums = createCounterSums(counter, labelNames);
  sums.add("mcp", "2xx", 1);
  sums.add("mcp", "2xx", 1);
  sums.add("mcp", "4xx", 1);
  sums.add("api", "2xx", 3);
  sums.flush();
  sums.flush();
  sums.add("mcp", "4xx", 1);
  sums.flush();
  const lines = (await registry.metrics())
    .split("\n")
    .filter((line) => line.startsWith("requests{"));
  expect(lines).toEqual([
    'requests{door="mcp",status="2xx"} 2',
    'requests{door="mcp",status="4xx"} 2',
    'requests{door="api",status="2xx"} 3',
  ]);
});
