/**
 * The kinds of tokens that a hub makes. Each is `hub_KIND_` and hexadecimal digits. They are removed from all that is recorded or
 * shown, so a kind that is missing here is made by no code: see `createHubToken` of the server.
 */
export const hubTokenKinds = ["pat", "pbt", "oat", "obt", "scim", "ms"] as const;

export type HubTokenKind = (typeof hubTokenKinds)[number];

/** Any of the kinds, for the group of a regular expression. */
export const anyHubTokenKind = hubTokenKinds.join("|");
