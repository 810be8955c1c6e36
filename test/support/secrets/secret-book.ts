import type { Browser } from "../browser.ts";
import type { OAuthStage, Person } from "../oauth-stage.ts";
import type { OpenIdProvider } from "../openid-provider.ts";
import type { ReplyRecord } from "../record-replies.ts";

export const cookieParts = /set-cookie$/;
const oauthParts = /^GET \/oauth\/(authorize|consent)\S* (location|body)$/;

/** Every kind of secret, with the parts of replies that are there to carry it. */
export const kinds = {
  password: null,
  // Shown again to who typed it, in the field for e-mails.
  "password in the field for e-mails": /^POST \/auth\/login body$/,
  "one-time password": null,
  cookie: cookieParts,
  "CSRF token": /^(GET \/profile\/api\/me|\w+ \/(auth|profile|tools|oauth\/consent)\b\S*) body$/,
  "personal token": /^(POST \/profile\/api\/tokens|GET \/profile\/tokens) body$/,
  code: /^GET \/oauth\/authorize\S* (location|body)$/,
  "token of an application": /^POST \/oauth\/token body$/,
  // Named by addresses on the way, and worth nothing without the cookie.
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

export type SecretBook = {
  keep(kind: Kind, ...texts: readonly (string | null | undefined)[]): void;
  /** In the order in which they were kept. */
  of(kind: Kind): string[];
  entries(): [Kind, ReadonlySet<string>][];
  all(): Set<string>;
};

/** A hub that keeps secrets, its clients' replies, and the book of what must not be found. */
export type SecretStage = {
  stage: OAuthStage;
  /** Opens the management API, as an admin. */
  manageToken: string;
  provider: OpenIdProvider;
  record: ReplyRecord;
  book: SecretBook;
};
export type SignedInStage = SecretStage & { ada: Person; browser: Browser };

export function createSecretBook(): SecretBook {
  const secrets = new Map<Kind, Set<string>>();
  return {
    keep(kind, ...texts) {
      const known = secrets.get(kind) ?? new Set();
      secrets.set(kind, known);
      for (const text of texts) {
        if (text == null || text.length < 12) throw new Error(`That is no ${kind}: ${text}`);
        known.add(text);
      }
    },
    of: (kind) => [...(secrets.get(kind) ?? [])],
    entries: () => [...secrets],
    all: () => new Set([...secrets.values()].flatMap((texts) => [...texts])),
  };
}
