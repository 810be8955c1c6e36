import { defineConnector, wick } from "@hub/connector";
import { serve } from "@hub/connector/plugin";

/** A plugin that sends requests with bodies of all kinds. */
await serve(
  defineConnector({
    key: "framing",
    name: "Framing",
    icon: "send",
    tier: "plugin",
    description: "Sends requests with bodies of all kinds.",
    config: { Address: wick("url;required"), Token: wick("secret;required") },
    operations: {
      send: {
        description: "Sends one request.",
        input: {
          Path: wick("required"),
          Method: wick("required"),
          Kind: wick("required"),
          Text: wick("required"),
        },
        async run({ config, params, fetch }) {
          const url = new URL(params.Path, config.Address);
          const headers = { authorization: `Bearer ${config.Token}` };
          const body = toBody(params.Kind, params.Text);
          const init = { method: params.Method, headers, ...(body && { body }) };
          const isRequest = params.Kind === "request";
          const response = await (isRequest
            ? fetch(new Request(url.href, init))
            : fetch(url, init));
          return { status: response.status, text: await response.text() };
        },
      },
    },
  }),
);

function toBody(kind: string, text: string): RequestInit["body"] {
  switch (kind) {
    case "none":
      return null;
    case "form":
      return new URLSearchParams({ text });
    case "multipart": {
      const form = new FormData();
      form.set("text", text);
      return form;
    }
    case "bytes":
      return Buffer.from(text);
    case "stream":
      return new Response(text).body;
    default:
      return text;
  }
}
