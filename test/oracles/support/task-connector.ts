import { type ConnectorDefinition, defineConnector, wick } from "@hub/connector";

/** The keys of the operations about which the caller is asked in its client. */
export const askedOperations = ["delete", "deliver"];

/** The key of the operation whose process dies while it runs. */
export const lostOperation = "vanish";

/**
 * The operations behind the suite's tools for tasks. `takeLong` passes the time after which a call that is out becomes a
 * task.
 */
export function defineTaskConnector(takeLong: () => void): ConnectorDefinition {
  return defineConnector({
    key: "workshop",
    name: "Workshop",
    icon: "mail",
    tier: "builtin",
    description: "Works.",
    config: { Place: wick("default=home") },
    operations: {
      greet: {
        description: "Greets.",
        input: { Name: wick("required") },
        run: ({ params }) => `Hello, ${params.Name}!`,
      },
      compute: {
        description: "Computes for some seconds.",
        input: { Seconds: wick("number;required") },
        async run({ params, signal }) {
          const seconds = Number(params.Seconds);
          if (seconds > 0) {
            takeLong();
            await waitFor(seconds * 1000, signal);
          }
          return { computed: seconds };
        },
      },
      break: {
        description: "Fails after a long time.",
        run() {
          takeLong();
          throw new Error("The workshop burned down.");
        },
      },
      [lostOperation]: {
        description: "Runs until it is stopped.",
        async run({ signal }) {
          takeLong();
          await waitFor(null, signal);
          return null;
        },
      },
      welcome: {
        description: "Greets after a long time.",
        input: { Name: wick("required") },
        run({ params }) {
          takeLong();
          return `Welcome, ${params.Name}!`;
        },
      },
      delete: {
        description: "Deletes a file.",
        input: { Filename: wick("required") },
        run: ({ params }) => ({ deleted: params.Filename }),
      },
      deliver: { description: "Delivers.", run: () => ({ delivered: true }) },
    },
  });
}

/** Rejects when the call is cancelled. Null waits for that alone. */
function waitFor(ms: number | null, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === null ? undefined : setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
