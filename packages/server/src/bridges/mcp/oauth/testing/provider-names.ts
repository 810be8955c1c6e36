/**
 * Providers as users sign in at: how they answer, which tokens they replace, and how a grant is ended. `grant deleting` is a code
 * host, `not rotating` a mail provider, `in a user member` a chat, `rotating` a tracker, `as JSON` a notebook, `keeping the old`
 * an office suite; `without end` is an older code host.
 */
export const providerNames = [
  "grant deleting",
  "not rotating",
  "in a user member",
  "rotating",
  "as JSON",
  "keeping the old",
  "without end",
] as const;
export type Provider = (typeof providerNames)[number];
