import { z } from "zod";
import type { ScimUserRecord } from "../../../store/scim/scim-users-table.ts";
import type { ScimUser } from "./scim-user.ts";

const textSchema = z.string();

/** What is stored of a user as JSON, beside the columns. */
const attributesSchema = z.object({
  displayName: textSchema.nullable(),
  name: z.object({
    formatted: textSchema.optional(),
    givenName: textSchema.optional(),
    familyName: textSchema.optional(),
  }),
  emails: z.array(
    z.object({ value: textSchema, type: textSchema.optional(), primary: z.boolean().optional() }),
  ),
});

export function toAttributes({ displayName, name, emails }: ScimUser): string {
  return JSON.stringify({ displayName, name, emails });
}

/** The user as its client sees it. Of a user that no client keeps, it is what the hub knows. */
export function toScimUser(
  record: ScimUserRecord,
): ScimUser & { userName: string; active: boolean } {
  const { kept, email, name } = record;
  const active = isActiveForProvider(record);
  if (kept === null) {
    const emails = [{ value: email, primary: true }];
    return { userName: email, externalId: null, active, displayName: name, name: {}, emails };
  }
  const { externalId, userName, attributes } = kept;
  const stored = attributesSchema.parse(JSON.parse(attributes));
  // Optional members that are absent stay so.
  return {
    ...(stored as Pick<ScimUser, "displayName" | "name" | "emails">),
    userName: userName ?? email,
    externalId,
    active,
  };
}

/** Who is disabled by groups alone is active for the provider, whose groups they are. */
export function isActiveForProvider({
  status,
  disabledBy,
}: Pick<ScimUserRecord, "status" | "disabledBy">): boolean {
  return status === "active" || disabledBy === "groups";
}
