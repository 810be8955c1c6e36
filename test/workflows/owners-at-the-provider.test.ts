/** Protects: a workflow does not go on for an owner whom the single sign-on provider no longer confirms. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { transaction } from "@hub/server/store/database/database.ts";
import { putProviderSession } from "@hub/server/store/users/provider-sessions-table.ts";
import { openApiHub } from "../api/open-api-hub.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { openWorkflowUsers, workflowsPath } from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

const issuer = "https://id.example.com";

test("Runs are refused while the sign-in of their owner at the provider has ended, and begin again after the next", async () => {
  await using folder = await createDataFolder();
  const first = await openWorkflowUsers({ HUB_DATA_DIR: folder.path });
  const owner = await first.addUser({ tags: ["red"] });
  const sharer = await first.addUser({ tags: ["red"] });
  const body = {
    triggers: [{ id: "start", type: "manual" as const, entry: "say" }],
    nodes: [{ id: "say", type: "set" as const, value: 1 }],
    edges: [],
  };
  const workflow = await first.publish(owner, body, { tags: ["red"] });
  await first[Symbol.asyncDispose]();

  const start = async (endedAt: number | null) => {
    await using hub = await openApiHub({
      HUB_DATA_DIR: folder.path,
      HUB_OIDC_ISSUER: issuer,
      HUB_OIDC_CLIENT_ID: "hub",
      HUB_OIDC_CLIENT_SECRET: "secret",
      HUB_OIDC_ALLOWED_DOMAINS: "example.com",
      HUB_SSO_GROUPS_CLAIM: "groups",
    });
    const at = Date.now();
    await transaction(hub.store.db, (trx) =>
      putProviderSession(trx, {
        userId: owner.user.id,
        issuer,
        subject: "owner",
        sid: null,
        sealed: null,
        tokensId: "t",
        readAt: at,
        nextAt: at,
        failedSince: null,
        failure: null,
        endedAt,
        refusesTokens: endedAt !== null,
      }),
    );
    const { headers } = sharer;
    const path = `${workflowsPath}/${workflow}/runs`;
    return await hub.request("POST", path, { headers, body: { payload: {} } });
  };
  const refused = await start(1);
  expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } });
  expect(JSON.stringify(refused.body)).toContain("the single sign-on provider does not confirm");
  expect((await start(null)).status).toBeLessThan(300);
});
