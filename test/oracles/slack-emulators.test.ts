/** Our emulator of Slack answers as the one that others wrote, where both know the method. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createDataFolder } from "../support/data-folder.ts";
import { startSlackEmulator } from "../support/slack-emulator/slack-emulator.ts";
import { startSlackService } from "./support/slack-service.ts";

setDefaultTimeout(180_000);

type Service = { apiUrl: string; token: string; channel: string; user: string };

const owned = new AsyncDisposableStack();
let services: Service[];

const call = async (
  { apiUrl, token }: Pick<Service, "apiUrl" | "token">,
  method: string,
  args: Record<string, string> = {},
) => {
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  if (token !== "") headers.set("authorization", `Bearer ${token}`);
  const init = { method: "POST", headers, body: new URLSearchParams(args).toString() };
  return Object(await (await fetch(`${apiUrl}${method}`, init)).json());
};

beforeAll(async () => {
  const home = owned.use(await createDataFolder());
  const theirs = owned.use(await startSlackService(home.path));
  const { channels } = await call(theirs, "conversations.list");
  const { members } = await call(theirs, "users.list");
  const ours = owned.use(startSlackEmulator());
  const ada = ours.workspace.addUser("ada");
  const general = ours.workspace.addChannel("general", { members: [ada] });
  services = [
    { ...theirs, channel: channels[0].id, user: members.at(-1).id },
    { apiUrl: ours.apiUrl, token: ours.workspace.botToken, channel: general.id, user: ada.id },
  ];
});

afterAll(() => owned.disposeAsync());

/** The answers of both to the same calls. */
async function compare(ask: (service: Service) => Promise<unknown>): Promise<void> {
  const [theirs, ours] = await Promise.all(services.map(ask));
  expect(ours).toEqual(theirs);
}

test("Both refuse the same calls with the same errors", async () => {
  await compare(async (service) => {
    const { channel } = service;
    const { ts } = await call(service, "chat.postMessage", { channel, text: "x" });
    const reaction = { channel, timestamp: ts, name: "eyes" };
    await call(service, "reactions.add", reaction);
    const refusals: [string, Record<string, string>][] = [
      ["chat.postMessage", { channel: "C000000000", text: "x" }],
      ["chat.postMessage", { channel }],
      ["chat.update", { channel, ts: "1000000000.000000", text: "x" }],
      ["reactions.add", reaction],
      ["reactions.add", { ...reaction, timestamp: "1000000000.000000" }],
      ["users.info", { user: "U000000000" }],
      ["conversations.info", { channel: "C000000000" }],
    ];
    const answers = await Promise.all(
      refusals.map(([method, args]) => call(service, method, args)),
    );
    const unauthorized = await call({ ...service, token: "" }, "auth.test");
    return [...answers, unauthorized].map(({ ok, error }) => [ok, error]);
  });
});

test("Both answer a message, its change, a direct message and a list with the same members", async () => {
  const shape = (value: unknown): unknown =>
    typeof value === "object" && value !== null ? Object.keys(value).toSorted() : typeof value;
  await compare(async (service) => {
    const { channel, user } = service;
    const posted = await call(service, "chat.postMessage", { channel, text: "Hello" });
    const { ts } = posted;
    const thread = { channel, text: "A reply", thread_ts: ts };
    const reply = await call(service, "chat.postMessage", thread);
    const changed = await call(service, "chat.update", { channel, ts, text: "Changed" });
    const opened = await call(service, "conversations.open", { users: user });
    const page = await call(service, "users.list", { limit: "1" });
    const next = { limit: "1000", cursor: page.response_metadata.next_cursor };
    const rest = await call(service, "users.list", next);
    return [
      shape(posted),
      [posted.ok, posted.channel === channel, posted.message.text, posted.message.type],
      [reply.ok, reply.message.thread_ts === ts, reply.ts > ts],
      [shape(changed), changed.text, changed.ts === ts],
      [opened.ok, typeof opened.channel.id],
      [page.members.length, page.response_metadata.next_cursor !== ""],
      [rest.ok, rest.response_metadata.next_cursor],
    ];
  });
});
