import { HubError } from "../../errors.ts";
import type { ApiRequest } from "./endpoint.ts";

/**
 * Who gets through to an endpoint. Every guard stands behind the check that the caller is an active
 * user; it throws for whoever is not meant.
 */
export type Guard = {
  /** As the document and the table of who-may-what name it. */
  name: "signed in" | "admin" | "sees the row";
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
  async check({ caller, manager, params }) {
    if (!(await manager.rows.isVisible(caller, params.row ?? ""))) {
      throw new HubError("not_found", "There is no such row.");
    }
  },
};
