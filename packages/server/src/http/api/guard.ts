import type { WorkflowAccess } from "@hub/contract/workflow.ts";
import {
  sourceTokenRefusal,
  workflowTokenRefusal,
} from "../../connectors/managed/source-rights.ts";
import { HubError } from "../../errors.ts";
import { loadChannel } from "../../services/channels/look-up-in-channel.ts";
import { checkTestable, isRowVisible } from "../../services/rows/views/visible-rows.ts";
import { tokenRefusal } from "../../services/rules/check-rule-rights.ts";
import { loadWorkflow } from "../../workflows/definition/workflow-access.ts";
import type { ApiRequest } from "./api-request.ts";

/**
 * Decides which active users may use an endpoint. Throws for the others.
 */
export type Guard = {
  /** The name in the API document and in the permission table of the tests. */
  name:
    | "signed in"
    | "signed in with a browser"
    | "admin"
    | "admin with a browser"
    | "sees the row"
    | "tests the row"
    | "sees the channel"
    | "sees the workflow"
    | "reads the workflow"
    | "manages the workflow"
    | "manages the workflow in a browser";
  /** A sentence for the document. */
  note: string;
  check(req: ApiRequest): Promise<void> | void;
};

/** Any active user. The endpoint limits the result to what they may see. */
export const signedIn: Guard = {
  name: "signed in",
  note: "For every active user.",
  check: () => {},
};

const toBrowserGuard = (refusal: string): Guard => ({
  name: "signed in with a browser",
  note: "For every active user with a session. Tokens are refused.",
  check({ sessionId }) {
    if (sessionId === null) throw new HubError("forbidden", refusal);
  },
});

/**
 * Any active user, in a browser. Otherwise a stolen token could create another one, which would
 * survive the revocation of the first.
 */
export const inBrowser = toBrowserGuard(
  "A token cannot create tokens. Sign in and use /profile/tokens, or run `hub token create` on the hub's machine.",
);

/** The same for chat accounts, whose answers count as their user's. */
export const inChatBrowser = toBrowserGuard(
  "A token cannot see or change chat accounts. Sign in and use /profile.",
);

/** The same for decisions: models and programs have tokens, and approvals are for people. */
export const inApprovalBrowser = toBrowserGuard(
  "A token cannot decide approvals. Sign in and decide on the approval's page.",
);

/**
 * The same for accounts in rows. Otherwise the holder of a stolen token could connect an account of its own, in which the user
 * would work from then on. A token may still remove an account.
 */
export const inAccountBrowser = toBrowserGuard(
  "A token cannot connect or change an account. Sign in and use /profile/accounts.",
);

/** The same for second factors. */
export const inFactorBrowser = toBrowserGuard(
  "A token cannot change second factors. Sign in and use /profile/second-factor.",
);

export const admin: Guard = {
  name: "admin",
  note: "For admins.",
  check({ caller }) {
    if (caller.role !== "admin") {
      throw new HubError("forbidden", "Only admins may do this. Ask an admin.");
    }
  },
};

const toAdminBrowserGuard = (refusal: string): Guard => ({
  name: "admin with a browser",
  note: "For admins with a session. Tokens are refused.",
  check(req) {
    admin.check(req);
    if (req.sessionId === null) throw new HubError("forbidden", refusal);
  },
});

/** An admin in a browser: an import may make rows that start programs, which a token must not. */
export const adminInBrowser = toAdminBrowserGuard(
  "A token cannot import MCP servers. Sign in and use /manager/import, or run `hub bridge import` on the hub's machine.",
);

/** The same for a sign-in at an authorization server, which is bound to the browser's session. */
export const adminInConnectBrowser = toAdminBrowserGuard(
  "A token cannot connect a row. Sign in, open the row and press Connect.",
);

/** The same for second factors of others: a stolen token must not make an account easier to enter. */
export const adminInFactorBrowser = toAdminBrowserGuard(
  "A token cannot remove second factors. Sign in and open the user, or run `hub user remove-factors` on the hub's machine.",
);

/** The same for rules that ask before acting: models and programs have tokens, and must not lift them. */
export const adminInRuleBrowser = toAdminBrowserGuard(tokenRefusal);

/** The same for SCIM clients, whose tokens make and disable users. */
export const adminInScimBrowser = toAdminBrowserGuard(
  "A token cannot change SCIM clients. Sign in and use Users, Provisioning, or run `hub scim` on the hub's machine.",
);

/** The same for users and clients of programs: a stolen token must not make access that outlives it. */
export const adminInMachineBrowser = toAdminBrowserGuard(
  "A token cannot change service users, their clients or trusted issuers. Sign in, or use `hub service-user` on the hub's machine.",
);

/** The same for secret managers: the holder of a stolen token could have any of their secrets sent to a row. */
export const adminInSourceBrowser = toAdminBrowserGuard(sourceTokenRefusal);

/** Users who see the row in the path. Others get the same answer as for an unknown row. */
export const seesRow: Guard = {
  name: "sees the row",
  note: "For users who see the row. Others get `not_found`.",
  async check({ caller, services, params }) {
    if (!(await isRowVisible(services, caller, params.row ?? ""))) {
      throw new HubError("not_found", "There is no such row.");
    }
  },
};

/** Admins, and users who see the row in the path and whom its `tests` lets test. */
export const testsRow: Guard = {
  name: "tests the row",
  note: "For admins, and with `tests: tag` of the row for users who see it. Users who do not see it get `not_found`.",
  check: ({ caller, services, params }) => checkTestable(services, caller, params.row ?? ""),
};

/** Users who see the channel in the path. Others get the same answer as for an unknown one. */
export const seesChannel: Guard = {
  name: "sees the channel",
  note: "For users who see the channel. Others get `not_found`.",
  async check({ caller, services, params }) {
    await loadChannel(services.store.db, caller, params.channel ?? "");
  },
};

const toWorkflowGuard = (name: Guard["name"], right: WorkflowAccess, note: string): Guard => ({
  name,
  note,
  async check({ caller, services, params }) {
    await loadWorkflow(services.store.db, caller, params.workflow ?? "", right);
  },
});

/** Users who see the workflow in the path. Others get the same answer as for an unknown one. */
export const seesFlow = toWorkflowGuard(
  "sees the workflow",
  "see",
  "For users who see the workflow. Others get `not_found`.",
);

/** Also the user to whom the workflow is offered, who reads it before accepting it. */
export const readsFlow = toWorkflowGuard(
  "reads the workflow",
  "accept",
  "For the owner, for admins, and for the user to whom the workflow is offered.",
);

export const managesFlow = toWorkflowGuard(
  "manages the workflow",
  "manage",
  "For the owner and for admins.",
);

/** The same in a browser: the holder of a stolen token could have a secret of a manager sent by a workflow. */
export const managesFlowInBrowser: Guard = {
  name: "manages the workflow in a browser",
  note: "For the owner and for admins, with a session. Tokens are refused.",
  async check(req) {
    await managesFlow.check(req);
    if (req.sessionId === null) throw new HubError("forbidden", workflowTokenRefusal);
  },
};
