/** Protects: a code that a person sends to the bot starts no run, and only browsers link accounts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { findLinkedUser } from "@hub/server/identity/find-linked-user.ts";
import { openSession } from "@hub/server/identity/testing/open-test-session.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { z } from "zod";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { waitFor } from "../support/wait-for.ts";

let flows: ChannelHub;
let row: string;
/** A workflow that starts for each message. */
let workflow: string;
beforeAll(async () => {
  flows = await openChannelHub();
  row = await flows.addChannel("Team chat");
  const owner = await flows.addOwner("ann");
  ({ id: workflow } = await owner.create({ name: "Said", body: onEvent("team-chat") }));
  await owner.publish(workflow, 1);
});
afterAll(() => flows[Symbol.asyncDispose]());

/** Requests of a browser in which the user is signed in. */
async function signIn(name: string) {
  const { db } = flows.hub.services.store;
  const user = await findUserByEmail(db, `${name}@example.com`);
  if (user === null) throw new Error("No such user");
  const { token } = await openSession({ db }, { userId: user.id });
  const send = async (method: string, path: string, csrf?: string) => {
    const headers = { Cookie: `hub_session=${token}`, ...(csrf && { "X-CSRF-Token": csrf }) };
    const res = await fetch(`${flows.url}/profile/api/${path}`, { method, headers });
    const body = z.record(z.string(), z.unknown()).parse(await res.json());
    return { status: res.status, body };
  };
  const csrf = String((await send("GET", "me")).body.csrf_token);
  return {
    userId: user.id,
    get: (path: string) => send("GET", path),
    post: (path: string) => send("POST", path, csrf),
    delete: (path: string) => send("DELETE", path, csrf),
  };
}

test("A person links a chat account, and what the linking is told starts no run", async () => {
  const { chat, hub } = flows;
  const browser = await signIn("ann");
  const begun = await browser.post("chat-accounts/links");
  expect(begun).toMatchObject({ status: 201, body: { claimed_by: null } });
  const { code, id: link } = begun.body;
  const say = (envelope: string, text: string) =>
    chat.deliver(row, fakeMessage(envelope, { text, is_dm: true, channel_id: "D1" }));

  expect(await say("m1", String(code))).toEqual({ runs: 0 });
  await waitFor(() => chat.sent.length === 1);
  expect(chat.sent).toEqual([
    { channelId: "D1", text: expect.stringContaining(`ann@example.com at the hub http://`) },
  ]);
  expect(await say("m2", "yes")).toEqual({ runs: 0 });
  const shown = await browser.get("chat-accounts");
  expect(shown.body).toMatchObject({
    accounts: [],
    link: {
      confirmed_in_chat: true,
      claimed_by: { kind: "fakechat", team_id: "T1", team_name: "Fake", channel: "Team chat" },
    },
  });
  const other = await signIn("ann");
  expect((await other.get("chat-accounts")).body.link).toBeNull();
  const confirmed = await browser.post(`chat-accounts/links/${link}/confirm`);
  expect(confirmed).toMatchObject({ status: 200, body: { account_id: "U1", team_id: "T1" } });
  const identity = { kind: "fakechat", teamId: "T1", accountId: "U1" };
  expect(await findLinkedUser(hub.services.store, identity)).toBe(browser.userId);

  expect(await say("m3", "yes")).toEqual({ runs: 1 });
  const texts = (await flows.listEvents(workflow)).map(({ event }) => event.Payload.text);
  expect(texts).toEqual(["yes"]);
  const changes = await flows.admin.changes.list({ action: "chat_account.link" });
  expect(changes).toMatchObject([{ actor: "ann@example.com", via: "session" }]);
  expect((await browser.delete(`chat-accounts/${confirmed.body.id}`)).status).toBe(200);
  expect(await findLinkedUser(hub.services.store, identity)).toBeNull();
});

test("A code that is not valid starts no run either, and is answered", async () => {
  const { chat } = flows;
  const before = chat.sent.length;
  const received = await chat.deliver(
    row,
    fakeMessage("w1", { text: "2345-6789", is_dm: true, user: "U2" }),
  );
  expect(received).toEqual({ runs: 0 });
  await waitFor(() => chat.sent.length > before);
  expect(chat.sent.at(-1)?.text).toContain("This code is not valid.");
  const inChannel = fakeMessage("w2", { text: "2345-6789", user: "U3" });
  expect(await chat.deliver(row, inChannel)).toEqual({ runs: 1 });
});
