import { type ConnectorDefinition, defineConnector, wick } from "@hub/connector";

/** The same connector under several keys, compiled into the hub and as plugins. */
export function defineWork(key: string): ConnectorDefinition {
  return defineConnector({
    key,
    name: key,
    icon: "gauge",
    tier: "plugin",
    description: "Does almost nothing, so that measures show the cost of the call itself.",
    config: {},
    operations: {
      greet: {
        description: "Returns immediately.",
        input: { Name: wick("required") },
        run: ({ params }) => ({ greeting: `Hello, ${params.Name}`, length: params.Name.length }),
      },
      list_records: {
        description: "Returns the given number of records of 1 KiB.",
        input: { Count: wick.int("required") },
        run: ({ params }) =>
          Array.from({ length: Number(params.Count) }, (_, id) => ({ id, text: "x".repeat(1000) })),
      },
      wait: {
        description: "Returns when it is cancelled.",
        input: {},
        run: ({ signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
      },
    },
  });
}
