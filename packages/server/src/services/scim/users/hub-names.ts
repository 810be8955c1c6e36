import { stripInvisible } from "../../../lib/text/strip-invisible.ts";
import { toScimError } from "../syntax/scim-fault.ts";
import type { ScimUser } from "./scim-user.ts";

const emailCharsMax = 254;
const nameCharsMax = 100;

/**
 * ASCII only, as in claims of single sign-on: otherwise two addresses could become the same in lower case, and one person the
 * user of another.
 */
const emailPattern = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;

/** The text as an e-mail of the hub, in lower case; null if it is none. */
export function toEmail(text: string): string | null {
  const email = text.trim();
  return email.length <= emailCharsMax && emailPattern.test(email) ? email.toLowerCase() : null;
}

/** The e-mail by which the hub knows the user: the primary one, that of work, the first one, or the user name. */
export function toHubEmail({ emails, userName }: Pick<ScimUser, "emails" | "userName">): string {
  const chosen =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => type?.toLowerCase() === "work") ??
    emails[0];
  const email = toEmail(chosen?.value ?? userName ?? "");
  if (email === null) {
    throw toScimError(
      "invalidValue",
      "A user needs an e-mail address in ASCII: send emails, or a userName that is one.",
    );
  }
  return email;
}

/** The name that the hub shows, as one line. */
export function toHubName({ displayName, name, userName }: ScimUser, email: string): string {
  const { formatted, givenName, familyName } = name;
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  for (const text of [displayName, formatted, parts, userName]) {
    const line = stripInvisible(text ?? "")
      .replace(/\s+/g, " ")
      .trim();
    if (line !== "") return [...line].slice(0, nameCharsMax).join("");
  }
  return email;
}
