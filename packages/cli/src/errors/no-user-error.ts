import { HubError } from "@hub/server/errors.ts";

/** The error for a user of a data folder that has no database, and so no users. */
export function toNoUserError(program: string, user: string, dataDir: string): HubError {
  return new HubError(
    "not_found",
    `There is no user "${user}", because the data folder ${dataDir} has no database yet. Start the hub with "${program} serve" and add the user with "${program} user add", or name another folder with --data-dir.`,
  );
}
