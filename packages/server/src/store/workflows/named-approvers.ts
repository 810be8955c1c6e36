import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/**
 * Whether an approval node names this e-mail, which is in lower case: in the draft or the published version of a workflow. The texts
 * of all workflows are searched, so this is for what happens rarely.
 */
export async function isNamedApprover(db: Db, email: string): Promise<boolean> {
  const inJson = JSON.stringify(email).slice(1, -1);
  const pattern = `%${inJson.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const bodies = toKysely(db)
    .selectFrom("workflow_bodies")
    .innerJoin("workflows", (join) =>
      join
        .onRef("workflows.id", "=", "workflow_bodies.workflow_id")
        .on((one) =>
          one.or([
            one("workflows.draft_body_id", "=", one.ref("workflow_bodies.id")),
            one("workflows.published_body_id", "=", one.ref("workflow_bodies.id")),
          ]),
        ),
    )
    .select("workflow_bodies.body")
    .where("workflows.deleted_at", "is", null)
    .where(sql<boolean>`lower(workflow_bodies.body) like ${pattern} escape '\\'`);
  return (await bodies.execute()).some(({ body }) => listNamed(body).has(email));
}

/** Empty for a draft that no run could take. */
function listNamed(body: string): Set<string> {
  const { nodes } = bodySchema.parse(JSON.parse(body));
  const users = nodes.flatMap((node) => node?.approvers?.users ?? []);
  return new Set(users.map((user) => `${user}`.trim().toLowerCase()));
}

const nodeSchema = z.object({
  approvers: z
    .object({ users: z.array(z.string()).catch([]) })
    .optional()
    .catch(undefined),
});
const bodySchema = z
  .object({ nodes: z.array(nodeSchema.nullable().catch(null)).catch([]) })
  .catch({ nodes: [] });
