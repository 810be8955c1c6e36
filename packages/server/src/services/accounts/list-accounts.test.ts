import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { addRow } from "../rows/manage-rows.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { listAccounts } from "./list-accounts.ts";
import { addAccount } from "./manage-accounts.ts";

const mailbox = defineConnector({
  key: "mailbox",
  name: "Mailbox",
  icon: "mail",
  tier: "builtin",
  description: "Has accounts of users.",
  config: { BaseURL: wick("url;required"), Token: wick("secret;personal;required") },
  operations: { read: { description: "Reads.", run: () => ({}) } },
});
const email = "ada@example.com";
const hosts = ["https://mail.example.com"];
/** Enough that some are left out. */
const rowCount = 60;

let hub: Awaited<ReturnType<typeof openTestServices>>;
let caller: Parameters<typeof listAccounts>[1];
let actor: Parameters<typeof addRow>[1];
beforeAll(async () => {
  hub = await openTestServices();
  hub.deps.registry.register(createLocalConnector(mailbox, () => ({})));
  const { id } = await hub.admin.users.add({ email, role: "user", tags: ["mail"] });
  caller = { userId: id, email, name: email, role: "user", tags: new Set(["mail"]), tokenId: null };
  actor = { userId: id, email, tokenId: null, via: "session", ip: null };
  // The last ones by label are the oldest.
  for (let at = rowCount - 1; at >= 0; at -= 1) await makeRow(`Mail ${`${at}`.padStart(2, "0")}`);
});
afterAll(() => hub.close());

async function makeRow(label: string, access: "own" | "shared" = "own", tag = "mail") {
  const values = { base_url: "https://mail.example.com/v1", token: "of-the-row-8sJ3" };
  const row = { connector: "mailbox", label, tags: [tag], access, values };
  return (await addRow(hub.deps, actor, row)).id;
}

const list = async (query?: { q?: string; row?: string }) => {
  const { rows, rows_total: total } = await listAccounts(hub.deps, caller, query);
  return { labels: rows.map(({ label }) => label), total };
};

test("The first fifty rows by label are listed, with the number of all in which the user may have accounts", async () => {
  await makeRow("A shared one", "shared");
  await makeRow("A hidden one", "own", "finance");
  const { labels, total } = await list();
  expect(total).toBe(rowCount);
  expect(labels).toHaveLength(50);
  expect([labels[0], labels.at(-1)]).toEqual(["Mail 00", "Mail 49"]);
});

test("Rows beyond the fifty are found by words, and one by its id", async () => {
  expect(await list({ q: "58 MAIL" })).toEqual({ labels: ["Mail 58"], total: rowCount });
  expect((await list({ q: "nothing" })).labels).toEqual([]);
  const id = await findId("59");
  expect((await list({ row: id })).labels.slice(0, 2)).toEqual(["Mail 59", "Mail 00"]);
  expect((await list({ row: "no-row" })).labels).toHaveLength(50);
});

test("A row with an account of the user is listed whatever is searched for", async () => {
  const given = { row: await findId("57"), values: { token: "of-ada-4fT8" }, hosts };
  await addAccount(hub.deps, { caller, actor }, given);
  expect((await list()).labels[0]).toBe("Mail 57");
  expect((await list({ q: "58" })).labels).toEqual(["Mail 57", "Mail 58"]);
  expect((await list({ q: "57" })).labels).toEqual(["Mail 57"]);
});

async function findId(q: string): Promise<string> {
  const { rows } = await listAccounts(hub.deps, caller, { q });
  return rows[0]?.id ?? "";
}
