import { defineConnector, wick } from "@hub/connector";
import { serve } from "@hub/connector/plugin";

/** A plugin that shows its trace context and sends requests. */
await serve(
  defineConnector({
    key: "trace",
    name: "Trace",
    icon: "route",
    tier: "plugin",
    description: "Shows the trace context of its calls.",
    config: {
      Address: wick("url;required"),
      Secret: wick("secret"),
      SendTraceContext: wick.bool(),
    },
    operations: {
      show: {
        description: "Returns the trace context and the marker.",
        input: { Marker: wick() },
        run: ({ trace, params }) => ({ trace: trace ?? null, marker: params.Marker ?? null }),
      },
      send: {
        description: "Sends one request to the address.",
        async run({ config, fetch }) {
          return { status: (await fetch(config.Address)).status };
        },
      },
      fail: {
        description: "Fails with a message that quotes the secret.",
        run({ config }) {
          throw new Error(`The host refuses ${config.Secret}.`);
        },
      },
    },
  }),
);
