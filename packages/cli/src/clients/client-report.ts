import { HubError } from "@hub/server/errors.ts";
import { toProblem } from "../errors/report-failure.ts";
import type { Client, ClientId } from "./client-definition.ts";

/** What a command did for one client. */
export type ClientReport = {
  client: string;
  target: ClientId;
  file: string;
  outcome: "installed" | "updated" | "unchanged" | "removed" | "absent" | "skipped" | "failed";
  /** Why the client was skipped, or why the command failed for it. */
  reason: string | null;
  /** The copy of the old file, if the command made one. */
  backup: string | null;
  /** What the user should know. */
  notes: string[];
  /** Of `--dry-run`: what would change in the file. */
  diff?: string;
};

export function toReport(
  { title, id }: Client,
  file: string,
  rest: Pick<ClientReport, "outcome"> & Partial<ClientReport>,
): ClientReport {
  return { client: title, target: id, file, reason: null, backup: null, notes: [], ...rest };
}

/** Turns a failure into a report, so that the other clients still get their entries. */
export async function reportFailures(
  client: Client,
  file: string,
  work: () => Promise<ClientReport>,
): Promise<ClientReport> {
  try {
    return await work();
  } catch (thrown) {
    const { error } = toProblem(thrown);
    const reason = thrown instanceof HubError ? error : `${error.replace(/\.$/, "")}.`;
    return toReport(client, file, { outcome: "failed", reason });
  }
}
