import { z } from "zod";

const charsMax = 2_000;

/** The address of a document or of a server. User names and passwords belong to the authentication. */
const address = z
  .string()
  .trim()
  .max(charsMax, { error: `must have at most ${charsMax} characters.` })
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    error: "must be an http or https address, such as https://api.example.com/openapi.json.",
  })
  .refine((text) => isWithoutUser(URL.parse(text)), {
    error: "must not have a user name or a password.",
  });

export const addressSchema = z.strictObject({ address });

/** The servers that calls may go to. */
export const serversSchema = z.strictObject({
  servers: z
    .array(address)
    .min(1, { error: "must have the address of a server to which calls go." }),
});

function isWithoutUser(url: URL | null): boolean {
  return url === null || (url.username === "" && url.password === "");
}
