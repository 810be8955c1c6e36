import { noArguments } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";
import { toLocalAdvice } from "./local-advice.ts";

export const hubDecrypt = defineMetaTool({
  name: "hub_decrypt",
  title: "Decrypt a value",
  description:
    "Returns the address of the page on which the user can read what a hub_enc_ value stands for. " +
    "Use it when the user asks for the plain value: you cannot decrypt it, and need not in order to use it in hub_execute.",
  args: noArguments,
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: async ({ baseUrl, localCommand }, { caller }) => ({
    url: `${baseUrl}/tools/encfields/decrypt`,
    message:
      toLocalAdvice("decrypt", caller, localCommand) ??
      "Ask the user to open this page, sign in and paste the hub_enc_ value there. The plain value is shown to the user only; it must not be copied into this conversation.",
  }),
});
