import { type ConnectorDefinition, defineConnector, wick } from "@hub/connector";

/** One definition under several keys: compiled into the hub, and as plugins. */
export function defineWork(key: string): ConnectorDefinition {
  return defineConnector({
    key,
    name: key,
    icon: "gauge",
    tier: "plugin",
    description: "Does next to nothing, so that a call's cost is the way there and back.",
    config: {},
    operations: {
      greet: {
        description: "Answers at once.",
        input: { Name: wick("required") },
        run: ({ params }) => ({ greeting: `Hello, ${params.Name}`, length: params.Name.length }),
      },
      list_records: {
        description: "Returns so many records of 1 KiB.",
        input: { Count: wick.int("required") },
        run: ({ params }) =>
          Array.from({ length: Number(params.Count) }, (_, id) => ({ id, text: "x".repeat(1000) })),
      },
      wait: {
        description: "Answers when it is cancelled.",
        input: {},
        run: ({ signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
      },
    },
  });
}
