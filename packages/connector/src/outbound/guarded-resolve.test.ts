import { expect, test } from "bun:test";
import { createGuardedResolve } from "./guarded-resolve.ts";

const resolve = async (host: string) => (host === "chat.test" ? ["93.184.215.14"] : ["10.0.0.5"]);

test("A socket's host is resolved with the port of its scheme", async () => {
  const guarded = createGuardedResolve({ policy: { savedHosts: [], allow: [] }, resolve });
  const addresses = ["93.184.215.14"];
  expect(await guarded("wss://chat.test/link?ticket=1")).toEqual({
    hostname: "chat.test",
    port: 443,
    addresses,
  });
  expect(await guarded(new URL("ws://chat.test:8080/"))).toMatchObject({ port: 8080 });
});

test("A socket to a private address needs an admin who saved its host and port", async () => {
  const refused = createGuardedResolve({ policy: { savedHosts: [], allow: [] }, resolve });
  await expect(refused("wss://inside.test/")).rejects.toMatchObject({ code: "blocked" });
  const saved = { savedHosts: ["inside.test:9000"], allow: [] };
  const allowed = createGuardedResolve({ policy: saved, resolve });
  expect(await allowed("ws://inside.test:9000/")).toMatchObject({ addresses: ["10.0.0.5"] });
  await expect(allowed("ws://inside.test:9001/")).rejects.toMatchObject({ code: "blocked" });
});
