/** Protects the network behind the hub from strangers who name addresses for it to fetch. */
import { describe, expect, test } from "bun:test";
import { createGuardedFetch, OutboundError } from "@hub/connector";
import { createDocumentFetch, documentFetchLimits } from "./metadata-documents.ts";
import { callback, openTestServer } from "./testing/open-test-server.ts";

const clientId = "https://app.example/client.json";
const document = { client_id: clientId, client_name: "Desk", redirect_uris: [callback] };

/** A fake network: responses, and the addresses that a DNS lookup returns. */
function openOutside(answers: Record<string, () => Response>) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    asked.push(String(input));
    return answers[String(input)]?.() ?? new Response(null, { status: 404 });
  };
  return { asked, fetchDocument: createDocumentFetch(fetch) };
}

test("A client with a metadata document gets a code, on a port of its choice", async () => {
  const { asked, fetchDocument } = openOutside({ [clientId]: () => Response.json(document) });
  await using hub = await openTestServer({ fetchDocument });
  const started = await hub.client.authorize(clientId, {
    redirect_uri: callback.replace("4000", "4001"),
  });
  expect(started.headers.get("location")).toStartWith("/oauth/consent/");
  expect(await hub.client.getCode(clientId)).not.toStartWith("none");
  // Cached for a while: repeated fetches would let strangers attack others through the hub.
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
  test(`A document that is ${what} is refused`, async () => {
    const { fetchDocument } = openOutside({ [clientId]: answer });
    await using hub = await openTestServer({ fetchDocument });
    const started = await hub.client.authorize(clientId);
    expect([started.status, started.headers.get("location")]).toEqual([400, null]);
  });
}

test("A document keeps the times of its server's cache and no other header", async () => {
  const times = { "cache-control": "max-age=60", expires: "Fri, 20 Nov 2026 09:42:00 GMT" };
  for (const headers of [times, { expires: times.expires }, {}]) {
    const { fetchDocument } = openOutside({
      [clientId]: () =>
        Response.json(document, { headers: { ...headers, "set-cookie": "a=b", etag: '"1"' } }),
    });
    const answer = await fetchDocument(clientId);
    const { "content-type": type, ...kept } = Object.fromEntries(answer.headers);
    expect([type, kept]).toEqual([expect.stringContaining("application/json"), headers]);
    expect(await answer.json()).toMatchObject({ client_id: clientId, client_name: "Desk" });
  }
});

test("A redirect of a document is not followed, and its body is not read", async () => {
  const modes: unknown[] = [];
  const fetchDocument = createDocumentFetch(async (_, init) => {
    modes.push(init?.redirect);
    return Response.json(document, { status: 302, headers: { location: "https://b.example/" } });
  });
  await expect(fetchDocument(clientId)).rejects.toThrow("status 302");
  expect(modes).toEqual(["manual"]);
});

test("The answer of a refused document is cancelled before the refusal", async () => {
  let isCancelled = false;
  const fetchDocument = createDocumentFetch(async () => {
    const body = new ReadableStream({
      async cancel() {
        await new Promise((resolve) => setImmediate(resolve));
        isCancelled = true;
      },
    });
    return new Response(body, { status: 404 });
  });
  await expect(fetchDocument(clientId)).rejects.toThrow("status 404");
  expect(isCancelled).toBeTrue();
});

test("A document of more than 16 KiB is refused", async () => {
  using host = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(req): Response {
      const text = JSON.stringify({ ...document, client_id: req.url });
      return new Response(text.padEnd(Number(new URL(req.url).pathname.slice(1)), " "));
    },
  });
  const fetchDocument = createDocumentFetch(
    createGuardedFetch({
      ...documentFetchLimits,
      policy: { savedHosts: [host.url.host], allow: [] },
    }),
  );
  expect((await fetchDocument(`${host.url}16384`)).status).toBe(200);
  await expect(fetchDocument(`${host.url}16385`)).rejects.toThrow("larger than 16 KiB");
});

test("The fetch of a document times out after five seconds", () => {
  expect(documentFetchLimits).toMatchObject({ timeoutMs: 5000, connectTimeoutMs: 5000 });
});

test("Only the last hundred failures are kept, so that strangers cannot fill the memory", async () => {
  await using hub = await openTestServer({ fetchDocument: openOutside({}).fetchDocument });
  const addresses = Array.from({ length: 101 }, (_, n) => `https://app.example/${n}.json`);
  const explain = (n: number) => hub.server.explainUnknownClient(addresses[n] ?? "");
  for (const address of addresses.slice(0, 100)) await hub.client.authorize(address);
  expect(explain(0)).toContain("status 404");
  await hub.client.authorize(addresses[100] ?? "");
  expect(explain(0)).not.toContain("status 404");
  expect(explain(1)).toContain("status 404");
});

const addresses = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "fd00::1"];
for (const address of addresses) {
  test(`A document at ${address} is not fetched, by number or by name`, async () => {
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

test("One network uses up its own fetches of documents, and no other network's (attack)", async () => {
  const { asked, fetchDocument } = openOutside({});
  await using hub = await openTestServer({ fetchDocument });
  for (let count = 0; count < 40; count += 1) {
    await hub.client.authorize(`https://evil.example/${count}.json`);
  }
  expect(asked).toHaveLength(30);
  hub.client.moveTo("198.51.100.7");
  await hub.client.authorize(clientId);
  expect(asked).toHaveLength(31);
});

test("All networks together get at most 300 documents a minute", async () => {
  const { asked, fetchDocument } = openOutside({});
  await using hub = await openTestServer({ fetchDocument });
  for (let count = 0; count < 310; count += 1) {
    hub.client.moveTo(`198.51.${count % 100}.1`);
    await hub.client.authorize(`https://evil.example/${count}.json`);
  }
  expect(asked).toHaveLength(300);
});

test("A network regains one document fetch every two seconds", async () => {
  const { asked, fetchDocument } = openOutside({});
  await using hub = await openTestServer({ fetchDocument });
  for (let count = 0; count < 40; count += 1) {
    await hub.client.authorize(`https://app.example/${count}.json`);
  }
  expect(asked).toHaveLength(30);
  hub.clock.time += 2_000;
  await hub.client.authorize("https://app.example/later.json");
  expect(asked).toHaveLength(31);
});

test("A connected client gets tokens while strangers use up the fetches of a minute (attack)", async () => {
  const { asked, fetchDocument } = openOutside({ [clientId]: () => Response.json(document) });
  await using hub = await openTestServer({ fetchDocument });
  const { refresh_token } = await hub.client.getTokens(clientId);
  // Another process, which has kept no document.
  await using second = await hub.openSecond();
  for (let count = 0; count < 40; count += 1) {
    await second.client.authorize(`https://evil.example/${count}.json`);
  }
  const before = asked.length;
  expect((await second.client.refresh(clientId, refresh_token)).status).toBe(200);
  expect(asked.slice(before)).toEqual([clientId]);
});

test("A client id that is not an https URL is refused", async () => {
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

describe("when the hub has no connection to a client's host", () => {
  const noConnection = async (): Promise<Response> => {
    throw new OutboundError("network", "app.example refused the connection.");
  };
  const advertised = "client_id_metadata_document_supported";

  test("Without a connection, documents are not advertised for a day, in any process", async () => {
    await using hub = await openTestServer({ fetchDocument: noConnection });
    expect(await hub.server.describe()).toMatchObject({ [advertised]: true });
    await hub.client.authorize(clientId);
    await using second = await hub.openSecond();
    expect(await hub.server.describe()).not.toHaveProperty(advertised);
    expect(await second.server.describe()).not.toHaveProperty(advertised);
    hub.clock.time += 24 * 60 * 60_000;
    expect(await second.server.describe()).toMatchObject({ [advertised]: true });
  });

  test("Documents are advertised again after one was fetched", async () => {
    let fetchDocument = noConnection;
    await using hub = await openTestServer({ fetchDocument: () => fetchDocument() });
    await hub.client.authorize(clientId);
    fetchDocument = async () => Response.json(document);
    hub.clock.time += 5_000;
    expect(await hub.client.getCode(clientId)).not.toStartWith("none");
    expect(await hub.server.describe()).toMatchObject({ [advertised]: true });
  });

  test("Page and log name the host and the reason, and say to try again", async () => {
    await using hub = await openTestServer({ fetchDocument: noConnection });
    await hub.client.authorize(clientId);
    const explained = hub.server.explainUnknownClient(clientId) ?? "";
    expect(explained).toContain("app.example refused the connection.");
    expect(explained).toContain("Try again now: the application will register instead");
    expect(explained).toContain("HUB_OAUTH_CLIENT_DOCUMENTS=off");
    expect(hub.warnings).toEqual([
      [
        { host: "app.example", reason: "app.example refused the connection." },
        expect.stringContaining("HUB_OAUTH_CLIENT_DOCUMENTS=off"),
      ],
    ]);
  });

  test("The page does not reveal names of the hub's network", async () => {
    const explainedFor = async (code: "dns" | "blocked") => {
      await using hub = await openTestServer({
        fetchDocument: async () => {
          throw new OutboundError(code, "app.example is 10.0.0.7.");
        },
      });
      await hub.client.authorize(clientId);
      return hub.server.explainUnknownClient(clientId);
    };
    const explained = await explainedFor("blocked");
    expect(explained).not.toContain("10.0.0.7");
    expect(explained).toBe(await explainedFor("dns"));
  });

  test("HUB_OAUTH_CLIENT_DOCUMENTS=on advertises documents without a connection too", async () => {
    await using hub = await openTestServer({ fetchDocument: noConnection, clientDocuments: "on" });
    await hub.client.authorize(clientId);
    expect(await hub.server.describe()).toMatchObject({ [advertised]: true });
    expect(hub.server.explainUnknownClient(clientId)).toContain("to auto or off");
  });
});

test("HUB_OAUTH_CLIENT_DOCUMENTS=off neither advertises nor fetches documents, and says so", async () => {
  const { asked, fetchDocument } = openOutside({ [clientId]: () => Response.json(document) });
  await using hub = await openTestServer({ fetchDocument, clientDocuments: "off" });
  expect(await hub.server.describe()).not.toHaveProperty("client_id_metadata_document_supported");
  expect((await hub.client.authorize(clientId)).status).toBe(400);
  expect(asked).toEqual([]);
  expect(hub.server.explainUnknownClient(clientId)).toContain("can register instead");
});

test("An invalid document does not stop the advertising of documents", async () => {
  const { fetchDocument } = openOutside({ [clientId]: () => new Response("<html>") });
  await using hub = await openTestServer({ fetchDocument });
  await hub.client.authorize(clientId);
  expect(await hub.server.describe()).toMatchObject({
    client_id_metadata_document_supported: true,
  });
  expect(hub.server.explainUnknownClient(clientId)).toContain("The document is not JSON.");
});

test("A document that is too large does not stop the advertising of documents (attack)", async () => {
  await using hub = await openTestServer({
    fetchDocument: async () => {
      throw new OutboundError("body_too_large", "The document is too large.");
    },
  });
  await hub.client.authorize(clientId);
  expect(await hub.server.describe()).toMatchObject({
    client_id_metadata_document_supported: true,
  });
});

test("The id of a registered client gets no explanation about documents", async () => {
  await using hub = await openTestServer();
  expect(hub.server.explainUnknownClient(crypto.randomUUID())).toBeNull();
});
