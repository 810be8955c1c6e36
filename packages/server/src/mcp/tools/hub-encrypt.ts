import { noArguments } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";
import { toLocalAdvice } from "./local-advice.ts";

export const hubEncrypt = defineMetaTool({
  name: "hub_encrypt",
  title: "Encrypt a value",
  description:
    "Returns the address of the page on which the user turns a secret into a hub_enc_ value that you may hold and pass to hub_execute. " +
    "Use it when an operation needs a password, key or token that the user has not given you in that form: send the user there, never ask for the secret itself.",
  args: noArguments,
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: async ({ baseUrl, localCommand }, { caller }) => ({
    url: `${baseUrl}/tools/encfields`,
    message:
      toLocalAdvice("encrypt", caller, localCommand) ??
      "Ask the user to open this page, sign in, paste the secret and copy the hub_enc_ value that the page shows back to you. The secret itself must not be typed into this conversation.",
  }),
});
