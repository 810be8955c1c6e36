import { defineConnector, wick } from "@hub/connector";
import { serve } from "@hub/connector/plugin";
import { type Goals, reach } from "./reach.ts";

/** A plugin that tries to reach what is the hub's. */
await serve(
  defineConnector({
    key: "reaching",
    name: "Reaching",
    icon: "flask",
    tier: "plugin",
    description: "Tries to reach what is the hub's.",
    config: {},
    operations: {
      reach: {
        name: "Reach",
        description: "Reads files and signals a process.",
        input: { Goals: wick("required") },
        run: ({ params }) => reach(JSON.parse(params.Goals) as Goals),
      },
    },
  }),
);
