/** Signed requests of Slack in http mode: what is refused, and what becomes an event. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { slackAdapter } from "../../packages/server/src/channels/slack/slack-adapter.ts";
import { HubError } from "../../packages/server/src/errors.ts";
import type { Delivery } from "../support/slack-emulator/deliveries.ts";
import type { SignatureFault } from "../support/slack-emulator/signed-requests.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { SlackChannel, SlackUser } from "../support/slack-emulator/workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { holdSlack, openSlackChannel } from "./slack-channel.ts";

let slack: SlackEmulator;
let ada: SlackUser;
let ops: SlackChannel;

beforeEach(() => {
  slack = startSlackEmulator();
  ada = slack.workspace.addUser("ada");
  ops = slack.workspace.addChannel("ops", { members: [ada] });
});

afterEach(() => slack[Symbol.asyncDispose]());

const http = { mode: "http", app_token: "" };

const read = (
  { headers, body }: { headers: Record<string, string>; body: string },
  change: Record<string, string> = {},
) =>
  slackAdapter.readRequest(openSlackChannel(slack, { ...http, ...change }), {
    headers: new Headers(headers),
    raw: new TextEncoder().encode(body),
  });

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (error: unknown) => (error instanceof HubError ? error.code : String(error)),
  );

function post(text = "Deploy"): Delivery {
  const [delivery] = slack.post({ channel: ops, user: ada, text }).deliveries;
  if (!delivery) throw new Error("Nothing was delivered.");
  return delivery;
}

test("A signed event is read, and answered with an empty 200", async () => {
  const { envelopes, answer } = await read(slack.toRequest(post()));
  expect(answer).toEqual({ status: 200 });
  expect(envelopes[0]?.events.map(({ event }) => event)).toEqual(["message", "thread_started"]);
  // Without a connection, the bot's own user is known by the envelope.
  expect(envelopes[0]?.from).toBe("person");
});

for (const fault of ["missing", "wrong", "old", "wrong version", "no timestamp"] as const) {
  test(`A request whose signature is ${fault} is refused`, async () => {
    const given: SignatureFault = fault;
    expect(await codeOf(read(slack.toRequest(post(), given)))).toBe("unauthorized");
  });
}

test("A changed body, another secret and a row without a secret are refused", async () => {
  const request = slack.toRequest(post());
  const changed = { ...request, body: request.body.replace("Deploy", "Delete") };
  expect(await codeOf(read(changed))).toBe("unauthorized");
  expect(await codeOf(read(request, { signing_secret: "0".repeat(32) }))).toBe("unauthorized");
  expect(await codeOf(read(request, { signing_secret: "" }))).toBe("unauthorized");
});

test("A recorded request keeps its id for five minutes, and is refused after them", async () => {
  const request = slack.toRequest(post());
  const first = await read(request);
  slack.workspace.clock.advance(299_000);
  const second = await read(request);
  expect(second.envelopes[0]?.id).toBe(first.envelopes[0]?.id ?? "");
  slack.workspace.clock.advance(2_000);
  expect(await codeOf(read(request))).toBe("unauthorized");
});

test("Commands and interactions come as forms", async () => {
  const command = slack.command({ channel: ops, user: ada, command: "/deploy", text: "a & b" });
  const [envelope] = (await read(slack.toRequest(command))).envelopes;
  expect(envelope?.events[0]?.payload).toMatchObject({ command: "/deploy", text: "a & b" });
  expect(envelope?.sender).toEqual({
    teamId: slack.workspace.teamId,
    userId: ada.id,
    userName: "ada",
  });
  const shortcut = slack.shortcut({ user: ada, callbackId: "make_ticket" });
  const read2 = await read(slack.toRequest(shortcut));
  expect(read2.envelopes[0]?.events[0]).toMatchObject({ event: "shortcut" });
});

test("The check of the address is answered with its challenge, if it is signed", async () => {
  const body = JSON.stringify({ type: "url_verification", challenge: "c1", token: "t" });
  const { envelopes, answer } = await read(slack.sign(body));
  expect({ envelopes, ...answer }).toMatchObject({ envelopes: [], status: 200, body: "c1" });
  expect(await codeOf(read(slack.sign(body, { fault: "wrong" })))).toBe("unauthorized");
  const check = slack.sign("ssl_check=1&token=t", { isForm: true });
  expect(await read(check)).toMatchObject({ envelopes: [], answer: { status: 200 } });
});

test("A signed body that is no delivery is a bad request", async () => {
  for (const body of ["", "{", "[]", "{}", '{"event":{}}', '{"event_id":5}']) {
    expect([body, await codeOf(read(slack.sign(body)))]).toEqual([body, "bad_request"]);
  }
  for (const body of ["payload={", "payload={}", "command=/x", ""]) {
    const request = slack.sign(body, { isForm: true });
    expect([body, await codeOf(read(request))]).toEqual([body, "bad_request"]);
  }
  const other = slack.sign("{}");
  other.headers["content-type"] = "text/plain";
  expect(await codeOf(read(other))).toBe("bad_request");
});

test("In http mode the channel is connected when the token works, without a socket", async () => {
  const held = holdSlack(slack, http);
  await waitFor(() => held.accounts.length > 0);
  expect(held.accounts[0]).toMatchObject({ teamId: slack.workspace.teamId, userName: "hubbot" });
  expect(slack.callsOf("apps.connections.open")).toEqual([]);
  await held.stop();
  expect(await held.ended).toBeUndefined();
});
