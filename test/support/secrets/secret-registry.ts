import type { Browser } from "../browser.ts";
import type { OAuthFixture, UserLogin } from "../oauth-fixture.ts";
import type { OpenIdProvider } from "../openid-provider.ts";
import type { ReplyRecord } from "../record-replies.ts";

export const cookieParts = /set-cookie$/;
const oauthParts = /^GET \/oauth\/(authorize|consent)\S* (location|body)$/;

/** Every kind of secret, with the parts of replies whose purpose is to return it. */
export const kinds = {
  password: null,
  // The form shows the typed e-mail again.
  "password in the field for e-mails": /^POST \/auth\/login body$/,
  "one-time password": null,
  cookie: cookieParts,
  "CSRF token": /^(GET \/profile\/api\/me|\w+ \/(auth|profile|tools|oauth\/consent)\b\S*) body$/,
  "personal token": /^(POST \/profile\/api\/tokens|GET \/profile\/tokens) body$/,
  code: /^GET \/oauth\/authorize\S* (location|body)$/,
  "token of an application": /^POST \/oauth\/token body$/,
  // Part of redirect addresses, and useless without the cookie.
  "pending consent": /^\w+ \/(oauth|auth)\/\S+ (location|refresh|set-cookie|body)$/,
  "state of a client": oauthParts,
  verifier: null,
  "state and nonce of single sign-on": /^GET \/auth\/sso location$/,
  "code of single sign-on": null,
  "client secret of single sign-on": null,
  "secret of a row": null,
  "value to encrypt": /^POST \/tools\/encfields\/decrypt body$/,
  "master key": null,
} satisfies Record<string, RegExp | null>;
export type Kind = keyof typeof kinds;

export type SecretRegistry = {
  add(kind: Kind, ...texts: readonly (string | null | undefined)[]): void;
  /** The secrets of a kind in the order in which they were added. */
  of(kind: Kind): string[];
  entries(): [Kind, ReadonlySet<string>][];
  all(): Set<string>;
};

/** A hub with secrets, the recorded replies, and the registry of secrets to search for. */
export type SecretFixture = {
  oauth: OAuthFixture;
  /** An admin's token for the management API. */
  manageToken: string;
  provider: OpenIdProvider;
  record: ReplyRecord;
  registry: SecretRegistry;
};
export type SignedInFixture = SecretFixture & { ada: UserLogin; browser: Browser };

export function createSecretRegistry(): SecretRegistry {
  const secrets = new Map<Kind, Set<string>>();
  return {
    add(kind, ...texts) {
      const known = secrets.get(kind) ?? new Set();
      secrets.set(kind, known);
      for (const text of texts) {
        if (text == null || text.length < 12) throw new Error(`This is not a ${kind}: ${text}`);
        known.add(text);
      }
    },
    of: (kind) => [...(secrets.get(kind) ?? [])],
    entries: () => [...secrets],
    all: () => new Set([...secrets.values()].flatMap((texts) => [...texts])),
  };
}
