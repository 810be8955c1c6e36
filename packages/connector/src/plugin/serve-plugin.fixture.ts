import { defineConnector } from "../define-connector.ts";
import { serve } from "./serve-plugin.ts";

await serve(
  defineConnector({
    key: "small",
    name: "Small",
    icon: "dot",
    tier: "plugin",
    description: "Says hello.",
    config: {},
    operations: { hello: { description: "Says hello.", run: () => "hello" } },
  }),
);
