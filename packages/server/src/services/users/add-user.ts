import { roleSchema, type User } from "@hub/contract/user.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { releaseKeptAdmins } from "../../identity/groups/apply-groups.ts";
import {
  checkInput,
  emailSchema,
  lineSchema,
  tagsSchema,
  toBadRequest,
} from "../../lib/input/check-input.ts";
import { transaction } from "../../store/database/database.ts";
import { insertPreparedUser } from "../../store/users/prepared-users-table.ts";
import { isServiceEmail } from "../../store/users/service-users.ts";
import { findUserByEmail, insertUser } from "../../store/users/users-table.ts";
import { checkGivesRuleTags } from "../rules/check-rule-rights.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "./check-gives-access.ts";
import { toUser } from "./to-user.ts";
import { withoutEveryone } from "./without-everyone.ts";

type AddDeps = Pick<ServiceDeps, "store" | "now"> & {
  /** Only for users who are prepared for single sign-on. */
  config?: Pick<ServiceDeps["config"], "oidcIssuer">;
};

const newUserSchema = z.strictObject({
  email: emailSchema,
  name: lineSchema(100).optional(),
  role: roleSchema.default("user"),
  tags: tagsSchema.default([]),
  /** The user signs in by single sign-on, and is linked by the first sign-in with this verified e-mail. */
  prepared: z.boolean().default(false),
});

export type NewUserInput = z.input<typeof newUserSchema>;

export async function addUser(deps: AddDeps, actor: Actor, input: NewUserInput): Promise<User> {
  const { email, name, role, tags, prepared } = checkInput(newUserSchema, input);
  if (isServiceEmail(email)) {
    const message = "stands for a service user. Make one on the page Users, Service users.";
    throw toBadRequest([{ path: "email", message }]);
  }
  if (role === "admin") checkGivesAccess(actor);
  const issuer = prepared ? toPreparingIssuer(deps.config?.oidcIssuer ?? null, role) : null;
  const createdAt = deps.now();
  const stamp = stampChange(actor, createdAt);
  const id = crypto.randomUUID();
  return await transaction(deps.store.db, async (trx) => {
    if ((await findUserByEmail(trx, email)) !== null) {
      throw new HubError("conflict", `"${email}" is already a user. Change that user instead.`);
    }
    await checkGivesRuleTags(trx, actor, withoutEveryone(tags));
    const user = await insertUser(trx, {
      id,
      email,
      name: name ?? email.slice(0, email.lastIndexOf("@")),
      role,
      status: "active",
      tags: withoutEveryone(tags),
      createdAt,
      origin: issuer === null ? "local" : "prepared",
    });
    if (issuer !== null) await insertPreparedUser(trx, { userId: id, issuer, at: createdAt });
    await recordChange(trx, stamp, {
      action: "user.create",
      kind: "user",
      id,
      name: user.email,
      detail: { role: user.role, tags: user.tags, ...(issuer !== null && { issuer }) },
    });
    await releaseKeptAdmins(trx, id, stamp);
    return toUser(user);
  });
}

/** The e-mail alone links the account there, so a later owner of the address must not become an admin by it. */
function toPreparingIssuer(issuer: string | null, role: User["role"]): string {
  if (issuer === null) {
    throw new HubError("bad_request", "This hub has no single sign-on. Set HUB_OIDC_ISSUER first.");
  }
  if (role !== "admin") return issuer;
  throw new HubError(
    "bad_request",
    "A user who is prepared for single sign-on cannot be an admin. Give the role after the first sign-in, or by a group.",
  );
}
