/** Protects: a card says as whom the call acts about which its reader decides. */
import { expect, test } from "bun:test";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { openTestServices } from "../../services/testing/open-test-services.ts";
import { newUser } from "../../store/test-data.ts";
import { insertTestPendingCall } from "../../store/testing/new-pending-call.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { findCallTopic } from "./find-call-topic.ts";

test("A card names the user, the local admin, or says that the user was deleted", async () => {
  const hub = await openTestServices();
  try {
    const { db } = hub.deps.store;
    const ada = await insertUser(db, newUser({ email: "ada@example.com" }));
    const names: unknown[] = [];
    for (const userId of [ada.id, LOCAL_ADMIN_ID, crypto.randomUUID()]) {
      const call = await insertTestPendingCall(db, { userId });
      const about = { id: "m", subjectId: call.id, hash: "h" };
      const topic = await findCallTopic({ db, readBaseUrl: () => null }, about);
      const card = await topic?.makeCard();
      const [facts] = card?.parts ?? [];
      names.push(facts?.kind === "facts" && facts.facts.find(([name]) => name === "Asked by")?.[1]);
    }
    expect(names).toEqual(["ada@example.com", "local-admin", "a deleted user"]);
  } finally {
    await hub.close();
  }
});
