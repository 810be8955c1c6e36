// Adds a grant to the database, as a consent does, and prints an access token of the folder's last user:
// bun connect-application.ts DATA_DIR
import { randomBytes } from "node:crypto";
import { hashToken } from "../../packages/server/src/identity/authenticate-bearer.ts";
import { insertOAuthAccessToken } from "../../packages/server/src/store/oauth/oauth-access-tokens.ts";
import { insertOAuthGrant } from "../../packages/server/src/store/oauth/oauth-grants.ts";
import { openStore } from "../../packages/server/src/store/open-store.ts";
import { listUsers } from "../../packages/server/src/store/users/users-table.ts";

const hourMs = 3_600_000;

const store = await openStore({ dataDir: process.argv[2] ?? "" });
const userId = (await listUsers(store.db)).at(-1)?.id ?? "";
const token = `hub_oat_${randomBytes(16).toString("hex")}`;
const grantId = crypto.randomUUID();
const createdAt = Date.now();
const access = {
  userId,
  clientId: "bench",
  scope: "mcp",
  resource: "http://localhost/mcp",
  createdAt,
  expiresAt: createdAt + hourMs,
};
const client = { clientName: "Bench", redirectUri: "http://127.0.0.1/callback" };
await insertOAuthGrant(store.db, { id: grantId, ...client, ...access });
await insertOAuthAccessToken(store.db, { tokenHash: hashToken(token), grantId, ...access });
await store.close();
console.log(token);
