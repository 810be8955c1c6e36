import { setImmediate as turn } from "node:timers/promises";
import { defineConnector, UpstreamError } from "@hub/connector";
import { serve } from "@hub/connector/plugin";

/** Does something a million times, and gives the connection turns meanwhile. */
async function repeat(count: number, act: (at: number) => void): Promise<object> {
  for (let at = 0; at < count; at += 1) {
    act(at);
    if (at % 1_000 === 0) await turn();
  }
  return { done: count };
}

const long = "p".repeat(50_000);

/** A plugin whose operations send what is expensive to receive. */
await serve(
  defineConnector({
    key: "flood",
    name: "Flood",
    icon: "waves",
    tier: "plugin",
    description: "Sends events without end.",
    config: {},
    operations: {
      progress: {
        description: "Sends progress a million times.",
        run: ({ progress }) => repeat(1_000_000, (at) => progress(at)),
      },
      long_progress: {
        description: "Sends long progress.",
        run: ({ progress }) => repeat(2_000, (at) => progress(at, 1, `${at} ${long}`)),
      },
      logs: {
        description: "Logs 200,000 lines.",
        run: ({ log }) => repeat(200_000, (at) => log.info(`line ${at}`, { at, list: [1, 2, 3] })),
      },
      masks: {
        description: "Masks 200,000 values.",
        run: ({ mask }) => repeat(200_000, (at) => mask(`a secret value ${at}`)),
      },
      stack: {
        description: "Fails with a long stack.",
        run: () => {
          const error = new Error("m".repeat(4_000_000));
          error.stack = "s\n".repeat(8_000_000);
          throw error;
        },
      },
      messages: {
        description: "Fails with a large body.",
        run: () => {
          throw new UpstreamError("Failed.", { body: Array(1_000_000).fill({ a: 1 }) });
        },
      },
    },
  }),
);
