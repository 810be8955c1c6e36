import { noArguments } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";
import { toLocalAdvice } from "./local-advice.ts";

export const hubDecrypt = defineMetaTool({
  name: "hub_decrypt",
  title: "Decrypt a value",
  description:
    "Returns the address of the page where the user can read the plain value of a hub_enc_ value. " +
    "Use it when the user asks for the plain value. You cannot decrypt it yourself, and you do not need to: the params of operations take hub_enc_ values.",
  args: noArguments,
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: async ({ baseUrl, localCommand }, { caller }) => ({
    url: `${baseUrl}/tools/encfields/decrypt`,
    message:
      toLocalAdvice("decrypt", caller, localCommand) ??
      "Ask the user to open this page, sign in and paste the hub_enc_ value there. The plain value is shown to the user only; it must not be copied into this conversation.",
  }),
});
