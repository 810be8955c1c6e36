/** An e-mail of a user, as the provider sent it. */
export type ScimEmail = { value: string; type?: string; primary?: boolean };

/** What the hub keeps of a user of a SCIM client, beside the user itself. */
export type ScimUser = {
  userName: string | null;
  /** The provider's id. */
  externalId: string | null;
  /** Null in a body that does not say. */
  active: boolean | null;
  displayName: string | null;
  name: { formatted?: string; givenName?: string; familyName?: string };
  emails: ScimEmail[];
};

export function createEmptyUser(): ScimUser {
  return {
    userName: null,
    externalId: null,
    active: null,
    displayName: null,
    name: {},
    emails: [],
  };
}
