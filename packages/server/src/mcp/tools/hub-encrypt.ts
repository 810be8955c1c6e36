import { noArguments } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";
import { toLocalAdvice } from "./local-advice.ts";

export const hubEncrypt = defineMetaTool({
  name: "hub_encrypt",
  title: "Encrypt a value",
  description:
    "Returns the address of the page where the user turns a secret into a hub_enc_ value that you can pass in params. " +
    "Use it when an operation needs a password, key or token and the user has not given you a hub_enc_ value for it. Send the user to the page; never ask for the secret itself.",
  args: noArguments,
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: async ({ baseUrl, localCommand }, { caller }) => ({
    url: `${baseUrl}/tools/encfields`,
    message:
      toLocalAdvice("encrypt", caller, localCommand) ??
      "Ask the user to open this page, sign in, paste the secret there, and copy the hub_enc_ value from the page into this conversation. The secret itself must not be typed into this conversation.",
  }),
});
