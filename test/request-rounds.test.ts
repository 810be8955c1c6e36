/** Protects: the many requests of one sender wait for each other, and not those of others for them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openRaw, toRequest } from "./support/raw-http.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

let hub: RunningHub;
let many: string;
let other: string;

beforeAll(async () => {
  hub = await startHub();
  many = await addAdmin("many@example.com");
  other = await addAdmin("other@example.com");
});
afterAll(() => hub[Symbol.asyncDispose]());

async function addAdmin(email: string): Promise<string> {
  await hub.addUser(email, { admin: true });
  const user = ["--user", email, "--name", "rounds", "--scope", "manage"];
  return (await hub.cli("token", "create", ...user, "--json")).json<{ token: string }>().token;
}

const toGet = (token: string) =>
  toRequest("GET /manager/api/rows HTTP/1.1", [
    `Host: localhost:${hub.port}`,
    `Authorization: Bearer ${token}`,
  ]);

test("Beyond 1,000 waiting requests of a user, more are refused with 429 and Retry-After; another user and /health are answered", async () => {
  const connections = await Promise.all(Array.from({ length: 1_400 }, () => openRaw(hub.port)));
  await using stranger = await openRaw(hub.port);
  await using bystander = await openRaw(hub.port);
  const request = toGet(many);
  for (const { socket } of connections) socket.write(request);
  bystander.send(toGet(other));
  stranger.send(toRequest("GET /health HTTP/1.1", [`Host: localhost:${hub.port}`]));
  expect((await stranger.answer())?.status).toBe(200);
  expect((await bystander.answer())?.status).toBe(200);
  const answers = await Promise.all(connections.map((connection) => connection.answer()));
  const refused = answers.filter((answer) => answer?.status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) expect(Number(answer?.headers["retry-after"])).toBeGreaterThan(0);
  const statuses = new Set(answers.map((answer) => answer?.status));
  expect([...statuses].every((status) => status === 200 || status === 429)).toBe(true);
  for (const connection of connections) await connection[Symbol.asyncDispose]();
});

test("A user's request is answered before most of the 300 that another user sent before it", async () => {
  const connections = await Promise.all(Array.from({ length: 300 }, () => openRaw(hub.port)));
  await using bystander = await openRaw(hub.port);
  let answered = 0;
  const request = toGet(many);
  const all = connections.map(async (connection) => {
    connection.socket.write(request);
    await connection.answer();
    answered += 1;
  });
  bystander.send(toGet(other));
  expect((await bystander.answer())?.status).toBe(200);
  const before = answered;
  await Promise.all(all);
  expect(before).toBeLessThan(200);
  for (const connection of connections) await connection[Symbol.asyncDispose]();
});
