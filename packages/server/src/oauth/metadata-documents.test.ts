/** Protects the network behind the hub from strangers who name addresses for it to fetch. */
import { expect, test } from "bun:test";
import { createGuardedFetch } from "@hub/connector";
import { createDocumentFetch } from "./metadata-documents.ts";
import { callback, openTestServer } from "./testing/open-test-server.ts";

const clientId = "https://app.example/client.json";
const document = { client_id: clientId, client_name: "Desk", redirect_uris: [callback] };

/** The outside as it would answer; the addresses are those that a look-up would find. */
function openOutside(answers: Record<string, () => Response>) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    asked.push(String(input));
    return answers[String(input)]?.() ?? new Response(null, { status: 404 });
  };
  return { asked, fetchDocument: createDocumentFetch(fetch) };
}

test("a client that is known by its document gets a code, on a port of its choice", async () => {
  const { asked, fetchDocument } = openOutside({ [clientId]: () => Response.json(document) });
  await using hub = await openTestServer({ fetchDocument });
  const started = await hub.client.authorize(clientId, {
    redirect_uri: callback.replace("4000", "4001"),
  });
  expect(started.headers.get("location")).toStartWith("/oauth/consent/");
  expect(await hub.client.getCode(clientId)).not.toStartWith("none");
  // Kept for a while: a second look would let strangers aim the hub at others.
  expect(asked).toEqual([clientId]);
});

const bad: Record<string, () => Response> = {
  "another client's": () => Response.json({ ...document, client_id: "https://other.example/c" }),
  "a redirect": () => Response.redirect("https://app.example/other.json"),
  "with a secret address": () =>
    Response.json({ ...document, redirect_uris: ["javascript:alert(1)"] }),
  "no JSON": () => new Response("<html>"),
  missing: () => new Response(null, { status: 404 }),
};
for (const [what, answer] of Object.entries(bad)) {
  test(`a document that is ${what} makes no client`, async () => {
    const { fetchDocument } = openOutside({ [clientId]: answer });
    await using hub = await openTestServer({ fetchDocument });
    const started = await hub.client.authorize(clientId);
    expect([started.status, started.headers.get("location")]).toEqual([400, null]);
  });
}

const addresses = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "fd00::1"];
for (const address of addresses) {
  test(`a document at ${address} is not fetched, by number or by name`, async () => {
    const host = address.includes(":") ? `[${address}]` : address;
    const fetchDocument = createDocumentFetch();
    await expect(fetchDocument(`https://${host}/client.json`)).rejects.toMatchObject({
      code: "blocked",
    });
    const named = createDocumentFetch(
      createGuardedFetch({
        policy: { savedHosts: [], allow: [] },
        resolve: async () => [address],
      }),
    );
    await expect(named("https://app.example/client.json")).rejects.toMatchObject({
      code: "blocked",
    });
  });
}

test("many documents at once are not fetched for anybody", async () => {
  const { asked, fetchDocument } = openOutside({});
  await using hub = await openTestServer({ fetchDocument });
  for (let count = 0; count < 40; count += 1) {
    await hub.client.authorize(`https://app.example/${count}.json`);
  }
  expect(asked).toHaveLength(30);
});

test("an address that is no https is no client", async () => {
  const { asked, fetchDocument } = openOutside({});
  await using hub = await openTestServer({ fetchDocument });
  for (const id of [
    "http://app.example/c.json",
    "https://app.example/c#x",
    "https://u:p@a.example/",
  ]) {
    expect((await hub.client.authorize(id)).status).toBe(400);
  }
  expect(asked).toEqual([]);
});
