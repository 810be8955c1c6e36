import { HubError } from "../../errors.ts";
import { isRowVisible } from "../../services/rows/visible-rows.ts";
import type { ApiRequest } from "./endpoint.ts";

/**
 * Who gets through to an endpoint. Every guard stands behind the check that the caller is an active
 * user; it throws for whoever is not meant.
 */
export type Guard = {
  /** As the document and the table of who-may-what name it. */
  name: "signed in" | "signed in with a browser" | "admin" | "sees the row";
  /** A sentence for the document. */
  note: string;
  check(req: ApiRequest): Promise<void> | void;
};

/** Any active user. What they see is for the endpoint to narrow down to what is theirs. */
export const signedIn: Guard = {
  name: "signed in",
  note: "For every active user.",
  check: () => {},
};

/**
 * Any active user, in a browser. A stolen token could otherwise make another one, which stays when the
 * first is revoked.
 */
export const inBrowser: Guard = {
  name: "signed in with a browser",
  note: "For every active user with a session. Tokens are refused.",
  check({ sessionId }) {
    if (sessionId !== null) return;
    throw new HubError(
      "forbidden",
      "A token cannot make tokens. Sign in and use /profile/tokens, or run `hub token create` on the hub's machine.",
    );
  },
};

export const admin: Guard = {
  name: "admin",
  note: "For admins.",
  check({ caller }) {
    if (caller.role !== "admin") {
      throw new HubError("forbidden", "Only admins may do this. Ask one.");
    }
  },
};

/** Whoever may see the row named in the path; to all others it is not there. */
export const seesRow: Guard = {
  name: "sees the row",
  note: "For whoever sees the row; to others it is not there.",
  async check({ caller, services, params }) {
    if (!(await isRowVisible(services, caller, params.row ?? ""))) {
      throw new HubError("not_found", "There is no such row.");
    }
  },
};
