/** Protects: a permission for an hour ends with the right of its user, and does not come back with it. */
import { expect, test } from "bun:test";
import { insertOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { endForbiddenCalls } from "../../store/pending/end-pending-calls.ts";
import { newToken, newUser } from "../../store/test-data.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { insertToken } from "../../store/users/tokens-table.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { testUserId } from "../testing/open-test-operations.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

const token = { kind: "token", id: "token-of-permits" } as const;
const grant = { kind: "grant", id: "grant-of-permits" } as const;

const losses = {
  "the user was disabled": {
    principal: token,
    lose: `update users set status = 'disabled' where id = '${testUserId}'`,
    restore: `update users set status = 'active' where id = '${testUserId}'`,
  },
  "the token was revoked": {
    principal: token,
    lose: "update personal_access_tokens set revoked_at = 1",
    restore: "update personal_access_tokens set revoked_at = null",
  },
  "the access of the application has ended": {
    principal: grant,
    lose: "update oauth_grants set expires_at = 1",
    restore: "update oauth_grants set expires_at = 9999999999999",
  },
  "the user does not see the row any more": {
    principal: token,
    lose: "update user_tags set user_id = 'another'",
    restore: `update user_tags set user_id = '${testUserId}'`,
  },
};

test.each(Object.entries(losses))("A permission ends when %s", async (_, {
  principal,
  lose,
  restore,
}) => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub({ principal });
  owned.defer(() => hub.close());
  await insertUser(hub.db, newUser({ id: testUserId, tags: ["team"] }));
  await insertUser(hub.db, newUser({ id: "another", email: "another@example.com" }));
  await insertToken(hub.db, newToken(testUserId, 1, { id: token.id }));
  await insertOAuthGrant(hub.db, {
    id: grant.id,
    userId: testUserId,
    clientId: "client",
    clientName: "Client",
    redirectUri: "https://client.example",
    scope: "mcp",
    resource: "https://hub.example/mcp",
    createdAt: 1,
    expiresAt: 9_999_999_999_999,
  });
  const rowId = await hub.addAskedRow();
  await hub.permit(await hub.ask(rowId, { text: "asked" }));
  const end = () => endForbiddenCalls(hub.db, { localUserId: "local", at: Date.now() });
  await end();
  await hub.call(rowId, { text: "permitted" });
  await runSql(hub.db, lose);
  await end();
  await runSql(hub.db, restore);
  await hub.ask(rowId, { text: "again" });
  expect(hub.sent).toEqual(["permitted"]);
});
