import { isReference } from "../../secrets/at-rest/at-rest.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { listUsers } from "../../store/users/users-table.ts";
import { listWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";
import { listWorkflowPage, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** What this hub has and its file does not. */
export type NotCarried = {
  /** The secrets that are set, each as `row "Tracker": token`. Not those that stay outside the hub. */
  secrets: string[];
  /** The versions before the published one, each as `workflow "Report": 1 to 3`. */
  versions: string[];
  /** The workflows of service users, each as `workflow "Report": deploy-bot`. Their owners are not in the file. */
  ownedByServices: string[];
};

const perPage = 200;

/** Names what `exportHub` leaves out of rows and workflows. */
export async function listNotCarried({
  store: { db },
}: Pick<ServiceDeps, "store">): Promise<NotCarried> {
  const secrets: string[] = [];
  for (const { label, values } of await listRows(db)) {
    const set = values.flatMap(({ key, sealed }) =>
      sealed === null || isReference(sealed) ? [] : [key],
    );
    if (set.length > 0) secrets.push(`row "${label}": ${set.sort().join(", ")}`);
  }
  const versions: string[] = [];
  const ownedByServices: string[] = [];
  const services = new Map(
    (await listUsers(db)).flatMap((user) =>
      user.kind === "service" ? [[user.id, user.name]] : [],
    ),
  );
  let after: WorkflowRecord | undefined;
  for (;;) {
    const page = await listWorkflowPage(db, {}, { limit: perPage, ...(after && { after }) });
    for (const { id, name, version, ownerId } of page) {
      const set = (await listWorkflowSecrets(db, id)).map((secret) => secret.name);
      if (set.length > 0) secrets.push(`workflow "${name}": ${set.sort().join(", ")}`);
      const owner = services.get(ownerId);
      if (owner !== undefined) ownedByServices.push(`workflow "${name}": ${owner}`);
      if (version > 1) versions.push(`workflow "${name}": ${toRange(version - 1)}`);
    }
    after = page.at(-1);
    if (page.length < perPage) break;
  }
  return { secrets, versions, ownedByServices };
}

function toRange(last: number): string {
  return last === 1 ? "1" : `1 to ${last}`;
}
