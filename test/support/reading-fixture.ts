import { defineConnector, wick } from "@hub/connector";
import { fixture } from "./fixture-connector.ts";

/** Those that are marked as ones that only read. */
const reading = new Set([
  ...["greet", "show", "count", "wait", "overrun", "deaf", "refuse", "crash"],
  ...["whisper", "maintain"],
]);

const { operations: more } = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "flask",
  tier: "builtin",
  description: "Asks outside systems.",
  config: { Secret: wick("secret;required") },
  operations: {
    ask: {
      description: "Asks an outside system.",
      reads: true,
      input: { Url: wick("required") },
      run: async ({ params }) => await (await fetch(params.Url)).json(),
    },
  },
});

/** The fixture connector for calls of `hub_read`: its operations are marked, and one asks an outside system. */
export const readingFixture: typeof fixture = {
  ...fixture,
  operations: new Map([
    ...[...fixture.operations].map(
      ([key, operation]) =>
        [key, reading.has(key) ? { ...operation, reads: true as const } : operation] as const,
    ),
    ...more,
  ]),
};
