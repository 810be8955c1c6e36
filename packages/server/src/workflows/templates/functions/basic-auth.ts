import { chargeChars, fail } from "../render/render-context.ts";
import { nameKind, SecretValue } from "../render/template-values.ts";
import type { TemplateFunction } from "./define-function.ts";
import { takeChangedText } from "./take-argument.ts";

/**
 * `basicAuth USER .Secret.NAME`: the value of an `Authorization` header (RFC 7617). What is behind
 * `Basic` is one value token of the owner, which the hub makes of the user and the secret. So it is
 * opened like every other token, and no text from outside can take its place.
 */
export const basicAuth: TemplateFunction = {
  args: [2, 2],
  takesSecrets: true,
  call: (ctx, [user, secret]) => {
    if (!(secret instanceof SecretValue)) {
      throw fail(
        ctx,
        `"basicAuth" needs a user and a secret, and the second is ${nameKind(secret)}. Write {{basicAuth "user" .Secret.NAME}}.`,
      );
    }
    if (user instanceof SecretValue) {
      throw fail(ctx, `The user of "basicAuth" is text, not a secret.`, "secret_transformed");
    }
    const name = takeChangedText(ctx, "basicAuth", user);
    if (name.includes(":") || /\p{Cc}/u.test(name)) {
      throw fail(ctx, `The user of "basicAuth" cannot contain ":" or control characters.`);
    }
    chargeChars(ctx, name.length);
    const token = ctx.roots.basicCredentials(name, secret.name);
    return new SecretValue(secret.name, token === null ? null : `Basic ${token}`);
  },
};
