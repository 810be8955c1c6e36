import { suggest } from "@hub/connector";
import { HubError } from "@hub/server/errors.ts";
import { localAdmin } from "@hub/server/identity/local-admin.ts";
import type { Db } from "@hub/server/store/database/database.ts";
import { findRow as findRowById, findRowBySlug } from "@hub/server/store/rows/rows-table.ts";
import { listScimClients } from "@hub/server/store/scim/scim-clients-table.ts";
import {
  findIdsByPrefix,
  findRowIdsByLabel,
  findWorkflowIdsByName,
  listSomeEmails,
  listSomeRowLabels,
  listSomeWorkflowNames,
} from "@hub/server/store/search/name-lookups.ts";
import type { Store } from "@hub/server/store/store.ts";
import { toServiceEmail } from "@hub/server/store/users/service-users.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { findWorkflow as findWorkflowById } from "@hub/server/store/workflows/workflows-table.ts";

/** Shorter prefixes could easily match another id. */
const prefixCharsMin = 6;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type Lookups = ReturnType<typeof createLookups>;

/**
 * Finds ids by the names that users type. Each look-up reads at most two matches, so that its cost
 * does not grow with the database. Two matches are an error.
 */
export function createLookups({ db }: Pick<Store, "db">) {
  const findRowId = (typed: string) => findRow(db, typed);
  const findUser = (typed: string) => findUserOf(db, typed);
  return {
    /** Finds a row by id, by exact label, or by prefix of its id, in this order. */
    findRowId,

    /** Finds a user by e-mail, case-insensitively. */
    findUser,

    /** Finds a service user by name. */
    async findServiceUserId(name: string): Promise<string> {
      const user = await findUserByEmail(db, toServiceEmail(name));
      if (user !== null) return user.id;
      throw new HubError(
        "not_found",
        `There is no service user "${name}". List the service users to see their names.`,
      );
    },

    /** Finds a channel by its slug, or as a row. */
    findChannelId: async (typed: string): Promise<string> =>
      (await findRowBySlug(db, typed.trim()))?.id ?? (await findRowId(typed)),

    /** Finds the row of a filter for runs. Accepts any full id, because runs outlive their rows. */
    findRecordedRowId: async (typed: string): Promise<string> =>
      uuidPattern.test(typed) ? typed.toLowerCase() : await findRowId(typed),

    /** Finds a caller: a user by e-mail, or the local admin by name or by default. */
    findCaller: async (typed: string | undefined): Promise<{ id: string; email: string }> =>
      typed === undefined || typed === localAdmin.email
        ? { id: localAdmin.userId, email: localAdmin.email }
        : await findUser(typed),

    /** Finds a workflow by id or by exact name. */
    findWorkflowId: (typed: string) => findWorkflow(db, typed),

    /** Finds an approval by id or by prefix of its id. */
    async findApprovalId(typed: string): Promise<string> {
      const id = await findByPrefix(db, "workflow_approvals", typed);
      if (id !== null) return id;
      throw new HubError(
        "not_found",
        `There is no approval "${typed}". List the approvals to see their ids.`,
      );
    },

    /** Finds a call that waits, by id or by prefix of its id. */
    async findPendingCallId(typed: string): Promise<string> {
      const id = await findByPrefix(db, "pending_calls", typed);
      if (id !== null) return id;
      throw new HubError(
        "not_found",
        `There is no call "${typed}" that waits. List the calls to see their ids.`,
      );
    },

    /** Finds an account of a user by id or by prefix of its id. */
    async findAccountId(typed: string): Promise<string> {
      const id = await findByPrefix(db, "user_accounts", typed);
      if (id !== null) return id;
      throw new HubError(
        "not_found",
        `There is no account "${typed}". List the accounts of a user to see their ids.`,
      );
    },

    /** Finds a token by id or by prefix of its id. */
    async findTokenId(typed: string): Promise<string> {
      const id = await findByPrefix(db, "personal_access_tokens", typed);
      if (id !== null) return id;
      throw new HubError(
        "not_found",
        `There is no token "${typed}". List the tokens to see their ids.`,
      );
    },

    /** Finds a SCIM client by its name, by id or by prefix of its id. */
    async findScimClientId(typed: string): Promise<string> {
      const named = (await listScimClients(db)).find(({ name }) => name === typed.trim());
      const id = named?.id ?? (await findByPrefix(db, "scim_clients", typed));
      if (id !== null) return id;
      throw new HubError(
        "not_found",
        `There is no SCIM client "${typed}". List the clients to see their names.`,
      );
    },

    /** Finds a connected application by id or by prefix of its id. */
    async findApplicationId(typed: string): Promise<string> {
      const id = await findByPrefix(db, "oauth_grants", typed);
      if (id !== null) return id;
      throw new HubError(
        "not_found",
        `There is no connected application "${typed}". List the applications to see their ids.`,
      );
    },
  };
}

async function findRow(db: Db, typed: string): Promise<string> {
  const exact = await findRowById(db, typed.trim().toLowerCase());
  if (exact !== null) return exact.id;
  const ids = await findRowIdsByLabel(db, typed);
  if (ids.length > 1) {
    throw new HubError(
      "conflict",
      `Several rows have the label "${typed}": ${ids.join(", ")}. Give an id.`,
    );
  }
  const found = ids[0] ?? (await findByPrefix(db, "connector_rows", typed));
  if (found !== null) return found;
  const hint = suggest(typed, await listSomeRowLabels(db));
  throw new HubError(
    "not_found",
    `There is no row "${typed}".${hint || " List the rows to see their ids and labels."}`,
  );
}

async function findUserOf(db: Db, typed: string): Promise<{ id: string; email: string }> {
  const user = await findUserByEmail(db, typed);
  if (user !== null) return { id: user.id, email: user.email };
  const hint = suggest(typed, await listSomeEmails(db));
  throw new HubError(
    "not_found",
    `There is no user "${typed}".${hint || " List the users for their e-mails."}`,
  );
}

async function findWorkflow(db: Db, typed: string): Promise<string> {
  const exact = await findWorkflowById(db, typed.trim().toLowerCase());
  if (exact !== null) return exact.id;
  const [id, ...others] = await findWorkflowIdsByName(db, typed.trim());
  if (id !== undefined && others.length === 0) return id;
  if (id !== undefined) {
    const ids = [id, ...others].join(", ");
    throw new HubError(
      "conflict",
      `Several workflows have the name "${typed}": ${ids}. Give an id.`,
    );
  }
  const hint = suggest(typed, await listSomeWorkflowNames(db));
  throw new HubError(
    "not_found",
    `There is no workflow "${typed}".${hint || " List the workflows to see their ids and names."}`,
  );
}

async function findByPrefix(
  db: Db,
  table: Parameters<typeof findIdsByPrefix>[1],
  typed: string,
): Promise<string | null> {
  const prefix = typed.trim().toLowerCase();
  if (prefix.length < prefixCharsMin) return null;
  const ids = await findIdsByPrefix(db, table, prefix);
  if (ids.length > 1) {
    throw new HubError("conflict", `"${typed}" matches ${ids.join(", ")}. Give more of the id.`);
  }
  return ids[0] ?? null;
}
