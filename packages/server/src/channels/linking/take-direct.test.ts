/**
 * Protects: only the person of a signed-in browser and of a chat account together link the two, and
 * a stranger can neither guess a code nor keep others from linking.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Actor } from "../../changes/actor.ts";
import { findLinkedUser } from "../../identity/find-linked-user.ts";
import { createLinkCode, readLinkCode } from "../../identity/link-code.ts";
import { openSession } from "../../identity/testing/open-test-session.ts";
import { openTestServices } from "../../services/testing/open-test-services.ts";
import {
  beginChatLink,
  cancelChatLink,
  confirmChatLink,
  type LinkingBrowser,
  listChatAccounts,
  showChatLink,
  unlinkChatAccount,
} from "../../services/users/link-chat-accounts.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import { newRow } from "../../store/test-data.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { deleteSession } from "../../store/users/sessions-table.ts";
import { takeDirect } from "./take-direct.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let at = 1_000_000;
const now = () => at;
/** What the bot answered since the last look. */
let answers: string[] = [];
let rowId = "";

beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());
beforeEach(async () => {
  at += 60 * 60_000;
  answers = [];
  ({ id: rowId } = await insertRow(hub.deps.store.db, newRow({ connectorKey: "slack" })));
});

const deps = () => ({ ...hub.deps, now });

async function addPerson() {
  const email = `${crypto.randomUUID()}@example.com`;
  const { id: userId } = await hub.admin.users.add({ email });
  const signIn = async (): Promise<LinkingBrowser> => {
    const { id } = await openSession({ db: hub.deps.store.db, now }, { userId });
    return { userId, sessionId: id };
  };
  const actor: Actor = { userId, email, tokenId: null, via: "session", ip: null };
  const browser = await signIn();
  return {
    email,
    userId,
    actor,
    browser,
    signIn,
    begin: () => beginChatLink(deps(), browser),
    confirm: (link: string, from = browser) => confirmChatLink(deps(), actor, link, from),
    show: (from = browser) => showChatLink(deps(), from),
    list: () => listChatAccounts(deps(), userId),
  };
}

type Sender = {
  teamId?: string | null;
  userId?: string;
  kind?: string;
  rowId?: string;
  /** Each text has an id of its own unless it is delivered again. */
  id?: string;
};
const someone = (): Sender => ({ userId: `U${crypto.randomUUID().slice(0, 8)}` });

/** A direct message; whether it was taken. */
async function send(text: string, given: Sender = {}) {
  const { kind = "slack", teamId = "T1", userId = "U1" } = given;
  const account = { teamId: "T1", teamName: "Acme", userId: "BOT", userName: "hubbot" };
  return await takeDirect(
    {
      db: hub.deps.store.db,
      now,
      baseUrl: "https://hub.example.com",
      findAccount: async () => account,
      answer: ({ text: answered }) => answers.push(answered),
    },
    { rowId: given.rowId ?? rowId, kind },
    {
      id: given.id ?? crypto.randomUUID(),
      from: "person",
      sender: { teamId, userId, userName: "ada" },
      direct: { channelId: "D1", text },
    },
  );
}

function takeAnswer(): string | undefined {
  const answer = answers.shift();
  expect(answers).toEqual([]);
  return answer;
}

const findUser = ({ teamId = "T1", userId = "U1", kind = "slack" }: Sender) =>
  findLinkedUser(hub.deps.store, { kind, teamId, accountId: userId });

test("A code, a yes in the chat and a confirmation in the browser link a chat account", async () => {
  const ann = await addPerson();
  const sender = someone();
  const { id, code } = await ann.begin();
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  expect(await ann.show()).toMatchObject({ id, claimed_by: null, confirmed_in_chat: false });
  await expect(ann.confirm(id)).rejects.toMatchObject({ code: "conflict" });

  expect(await send(` ${code.toLowerCase().replace("-", "–")} `, sender)).toBe(true);
  expect(takeAnswer()).toContain(`${ann.email} at the hub https://hub.example.com?`);
  const claimed_by = {
    kind: "slack",
    team_id: "T1",
    team_name: "Acme",
    channel: "Shop",
    account_id: sender.userId,
    account_name: "ada",
  };
  expect(await ann.show()).toMatchObject({ claimed_by, confirmed_in_chat: false });
  await expect(ann.confirm(id)).rejects.toMatchObject({ code: "conflict" });
  expect(await findUser(sender)).toBeNull();

  expect(await send("Yes", sender)).toBe(true);
  expect(takeAnswer()).toContain("Now confirm on the page Chat accounts");
  expect(await findUser(sender)).toBeNull();
  expect(await ann.show()).toMatchObject({ claimed_by, confirmed_in_chat: true });
  const { channel: _, ...identity } = claimed_by;
  expect(await ann.confirm(id)).toMatchObject(identity);
  expect(await findUser(sender)).toBe(ann.userId);
  expect(await ann.list()).toMatchObject([identity]);
  expect(await ann.show()).toBeNull();
  // The answer to the question is over, so a yes is a message as any other.
  expect(await send("yes", sender)).toBe(false);
  const changes = await runSql<Record<string, unknown>>(
    hub.deps.store.db,
    "select action, actor, detail from changes where target_kind = 'chat_account'",
  );
  const detail = { user: ann.email, kind: "slack", team_id: "T1", account_id: sender.userId };
  const read: unknown[] = changes.map((one) => ({
    ...one,
    detail: JSON.parse(String(one.detail)),
  }));
  expect(read).toEqual([{ action: "chat_account.link", actor: ann.email, detail }]);
});

async function link(person: Awaited<ReturnType<typeof addPerson>>, sender: Sender) {
  const { id, code } = await person.begin();
  await send(code, sender);
  await send("yes", sender);
  answers = [];
  return await person.confirm(id);
}

test("Another workspace, platform or bare account with the same id is not linked", async () => {
  const ann = await addPerson();
  const sender = someone();
  await link(ann, sender);
  for (const other of [{ teamId: "T2" }, { teamId: null }, { kind: "telegram" }]) {
    expect(await findUser({ ...sender, ...other })).toBeNull();
  }
});

test("A user has several chat accounts, and a chat account has one user", async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  const [first, second] = [someone(), someone()];
  await link(ann, first);
  await link(ann, second);
  expect(await ann.list()).toHaveLength(2);
  const { code } = await bob.begin();
  expect(await send(code, first)).toBe(true);
  expect(takeAnswer()).toContain("already linked");
  expect(await bob.show()).toMatchObject({ claimed_by: null });
  // The same for a code that does not exist.
  await send("2222-3333", first);
  expect(takeAnswer()).toContain("already linked");
  expect(await findUser(first)).toBe(ann.userId);
});

test("An account that two codes name at once is linked to one user", async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  const sender = someone();
  const [first, second] = [await ann.begin(), await bob.begin()];
  await send(first.code, sender);
  await send(second.code, sender);
  await send("yes", sender);
  await expect(ann.confirm(first.id)).rejects.toMatchObject({ code: "not_found" });
  await bob.confirm(second.id);
  expect(await findUser(sender)).toBe(bob.userId);
});

test("Of two people who send one code, the first is asked, and only that one can answer", async () => {
  const ann = await addPerson();
  const [first, second] = [someone(), someone()];
  const { id, code } = await ann.begin();
  const taken = await Promise.all([send(code, first), send(code, second)]);
  expect(taken).toEqual([true, true]);
  expect(answers.toSorted()).toEqual([
    expect.stringContaining(`Link this chat account to ${ann.email}`),
    expect.stringContaining("This code is not valid."),
  ]);
  const claimant = (await ann.show())?.claimed_by?.account_id;
  const [winner, loser] = claimant === first.userId ? [first, second] : [second, first];
  expect(await send("yes", loser)).toBe(false);
  expect(await send("yes", { ...winner, teamId: "T2" })).toBe(false);
  expect(await send("yes", { ...winner, rowId: "other" })).toBe(false);
  await expect(ann.confirm(id)).rejects.toMatchObject({ code: "conflict" });
  expect(await send("yes", winner)).toBe(true);
  await ann.confirm(id);
  expect([await findUser(winner), await findUser(loser)]).toEqual([ann.userId, null]);
});

test("A code that is delivered twice asks twice and is no wrong try", async () => {
  const ann = await addPerson();
  const sender = someone();
  const { code } = await ann.begin();
  for (let times = 0; times < 10; times += 1) {
    await send(code, sender);
    expect(takeAnswer()).toContain(ann.email);
  }
});

test("Codes that never existed, are used, expired or withdrawn get the same answer", async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  const expired = await ann.begin();
  at += 10 * 60_000;
  await send(expired.code, someone());
  const answer = takeAnswer();
  expect(answer).toContain("This code is not valid.");

  const replaced = await ann.begin();
  const withdrawn = await ann.begin();
  await cancelChatLink(deps(), withdrawn.id, ann.browser);
  const used = await bob.begin();
  await send(used.code, someone());
  takeAnswer();
  const ended = await addPerson();
  const { code: ofEnded } = await ended.begin();
  await deleteSession(hub.deps.store.db, ended.browser.sessionId);
  const disabled = await addPerson();
  const { code: ofDisabled } = await disabled.begin();
  await runSql(
    hub.deps.store.db,
    "update users set status = 'disabled' where id = ?",
    disabled.userId,
  );
  for (const code of [replaced, withdrawn, used].map((one) => one.code)) {
    await send(code, someone());
    expect(takeAnswer()).toBe(answer);
  }
  for (const code of [ofEnded, ofDisabled, "2222-3333"]) {
    await send(code, someone());
    expect(takeAnswer()).toBe(answer);
  }
});

test("The answer no in the chat ends the link", async () => {
  const ann = await addPerson();
  const sender = someone();
  const { id, code } = await ann.begin();
  await send(code, sender);
  await send("no.", sender);
  expect(answers.at(-1)).toContain("Nothing is linked.");
  expect(await send("yes", sender)).toBe(false);
  await expect(ann.confirm(id)).rejects.toMatchObject({ code: "not_found" });
});

test("Only the browser that made the code can see, confirm or withdraw the link", async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  const sender = someone();
  const { id, code } = await ann.begin();
  await send(code, sender);
  await send("yes", sender);
  const strangers = [await ann.signIn(), bob.browser, { ...ann.browser, userId: bob.userId }];
  for (const browser of strangers) {
    expect(await ann.show(browser)).toBeNull();
    await expect(ann.confirm(id, browser)).rejects.toMatchObject({ code: "not_found" });
    await expect(cancelChatLink(deps(), id, browser)).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await findUser(sender)).toBeNull();
  await ann.confirm(id);
  await expect(ann.confirm(id)).rejects.toMatchObject({ code: "not_found" });
});

test("A link cannot be confirmed after ten minutes", async () => {
  const ann = await addPerson();
  const sender = someone();
  const { id, code } = await ann.begin();
  await send(code, sender);
  await send("yes", sender);
  at += 10 * 60_000;
  await expect(ann.confirm(id)).rejects.toMatchObject({ code: "not_found" });
  expect(await send("yes", sender)).toBe(false);
});

test("After five wrong codes an account is not answered, with the right code either, for ten minutes", async () => {
  const ann = await addPerson();
  const [stranger, other] = [someone(), someone()];
  const { code } = await ann.begin();
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await send(createLinkCode().code, stranger)).toBe(true);
    expect(takeAnswer()).toContain("This code is not valid.");
  }
  for (const sent of [createLinkCode().code, code]) {
    expect(await send(sent, stranger)).toBe(true);
    expect(answers).toEqual([]);
  }
  expect(await ann.show()).toMatchObject({ claimed_by: null });
  await send(code, other);
  expect(takeAnswer()).toContain(ann.email);
  at += 10 * 60_000;
  await send(createLinkCode().code, stranger);
  expect(takeAnswer()).toContain("This code is not valid.");
});

test("When a crowd of accounts guesses, each of them has one try, and others can still link", async () => {
  const ann = await addPerson();
  for (let count = 0; count < 100; count += 1) await send(createLinkCode().code, someone());
  answers = [];
  const stranger = someone();
  await send(createLinkCode().code, stranger);
  expect(takeAnswer()).toContain("This code is not valid.");
  const { code } = await ann.begin();
  await send(code, stranger);
  expect(answers).toEqual([]);
  await send(code, someone());
  expect(takeAnswer()).toContain(ann.email);
});

test("The account of a disabled user is of no user until the user is enabled", async () => {
  const ann = await addPerson();
  const sender = someone();
  const { id } = await link(ann, sender);
  await hub.admin.users.disable(ann.userId);
  expect(await findUser(sender)).toBeNull();
  await hub.admin.users.enable(ann.userId);
  expect(await findUser(sender)).toBe(ann.userId);
  const bob = await addPerson();
  await expect(unlinkChatAccount(deps(), bob.actor, bob.userId, id)).rejects.toMatchObject({
    code: "not_found",
  });
  await unlinkChatAccount(deps(), ann.actor, ann.userId, id);
  expect(await findUser(sender)).toBeNull();
});

test("Other texts, other senders and odd ids are not taken", async () => {
  for (const text of ["hello", "yes", "feedback", "feed-back", "12345678901", "", "2222 3333"]) {
    expect([text, await send(text, someone())]).toEqual([text, false]);
  }
  for (const text of ["abcd2345", "`ABCD-2345`", "OIL2-ABCD", "abcd—2345."]) {
    expect([text, await send(text, someone())]).toEqual([text, true]);
  }
  const ann = await addPerson();
  const { code } = await ann.begin();
  for (const userId of ["", "a b", "x".repeat(201), "a\u0000"]) {
    expect(await send(code, { userId })).toBe(false);
  }
  expect(await ann.show()).toMatchObject({ claimed_by: null });
});

test("Letters that look like digits are read as those, in any case", () => {
  expect(readLinkCode("oIl2-abcd")).toEqual(readLinkCode("0112ABCD"));
  expect(readLinkCode("0112-ABCE")).not.toEqual(readLinkCode("0112-ABCD"));
  expect(readLinkCode("UUUU-2345")).toBeNull();
});

test("The code is stored nowhere, only its hash", async () => {
  const ann = await addPerson();
  const { code } = await ann.begin();
  await send(code, someone());
  const tables = ["chat_links", "chat_link_tries", "changes", "connector_runs"];
  for (const table of tables) {
    const stored = JSON.stringify(await runSql(hub.deps.store.db, `select * from ${table}`));
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(code.replace("-", ""));
  }
});

test("An answer that is delivered again starts no workflow, but a later one of the same words does", async () => {
  for (const word of ["yes", "no"]) {
    const ann = await addPerson();
    const sender = someone();
    const { id, code } = await ann.begin();
    await send(code, sender);
    takeAnswer();
    const first = { ...sender, id: `delivery of ${word}` };
    expect(await send(word, first)).toBe(true);
    takeAnswer();
    if (word === "yes") await ann.confirm(id);
    // The link is gone in both cases: confirmed in the browser, or refused in the chat.
    expect(await send(word, first)).toBe(true);
    expect(takeAnswer()).toBeUndefined();
    expect(await send(word, { ...first, rowId: "another" })).toBe(false);
    expect(await send(word, sender)).toBe(false);
  }
});
