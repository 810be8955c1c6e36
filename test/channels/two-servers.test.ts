import { expect, test } from "bun:test";
import { createFakeChat, fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { listChannelStates } from "@hub/server/store/channels/channels-table.ts";
import { onEvent, openChannelHub } from "../support/channel-hub.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { waitFor } from "../support/wait-for.ts";

test("One of two servers holds a channel, and the other takes it when that one stops", async () => {
  await using folder = await createDataFolder();
  const chat = createFakeChat();
  const first = await openChannelHub({ dataDir: folder.path, chat });
  const ann = await first.addOwner("ann", ["ops"]);
  const team = await first.addChannel("Team", { tags: ["ops"] });
  const { id } = await ann.create({ name: "Said", body: onEvent("team") });
  await ann.publish(id, 1);
  await using second = await openChannelHub({ dataDir: folder.path, chat });
  const { db } = second.hub.services.store;
  const readState = async () => (await listChannelStates(db, [team]))[0];
  await chat.deliver(team, fakeMessage("m1"));
  const before = await readState();
  const held = chat.held.get(team);
  await first[Symbol.asyncDispose]();
  // The adapter refuses to be held twice, so the second one waited.
  await waitFor(() => chat.held.has(team) && chat.held.get(team) !== held);
  const after = await waitFor(async () => {
    const state = await readState();
    return state?.holder !== null && state?.state === "connected" ? state : null;
  });
  expect(after.holder).not.toBe(before?.holder ?? null);
  expect(chat.holds.get(team)).toBe(2);
  // A platform that had no answer delivers again.
  expect(await chat.deliver(team, fakeMessage("m1"))).toEqual({ runs: 1 });
  expect(await chat.deliver(team, fakeMessage("m2"))).toEqual({ runs: 1 });
  expect((await second.listEvents(id)).map(({ event }) => event.Payload.ts)).toEqual(["m1", "m2"]);
});
