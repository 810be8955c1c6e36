import { toPrepared } from "../deliveries.ts";
import type { Attack, Door } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";

const mebibyte = 1024 * 1024;

/** The document of OpenAPI that the hub reads at a row's address. */
export async function openDocumentDoor(fixture: CostFixture): Promise<Door> {
  let document = "{}";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(document, { headers: { "content-type": "application/json" } }),
  });
  fixture.own({ [Symbol.asyncDispose]: () => server.stop(true) });
  const url = server.url.origin;
  const { id } = await fixture.api("POST", "/manager/api/rows", {
    connector: "openapi",
    label: "Cost document",
    values: { document_url: `${url}/doc`, base_url: url },
  });
  const attacks: Record<string, Attack> = {};
  const add = (name: string, kind: Attack["kind"], make: (bytes: number) => string) => {
    attacks[name] = {
      kind,
      prepare(bytes) {
        const text = make(bytes);
        const path = `/manager/api/rows/${id}/discover`;
        const headers = {
          "content-type": "application/json",
          authorization: `Bearer ${fixture.manageToken}`,
        };
        return {
          bytes: text.length,
          run() {
            document = text;
            return toPrepared(fixture.hub, { method: "POST", path, headers, body: "{}" }).run();
          },
        };
      },
    };
  };
  const of = (paths: unknown, more: object = {}) =>
    writeJson({ openapi: "3.1.0", info: { title: "x", version: "1" }, paths, ...more });
  const get = (more: object) => ({ operationId: "get", responses: {}, ...more });
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`document: ${shape}`, kind, make);
    add(`description: ${shape}`, kind, (n) => of({ "/x": { get: get({ description: make(n) }) } }));
    add(`path: ${shape}`, kind, (n) => of({ [`/${make(n)}`]: { get: get({}) } }));
  }
  for (const [shape, { kind, make }] of Object.entries(values)) {
    add(`schema: ${shape}`, kind, (n) => of({}, { components: { schemas: { A: make(n) } } }));
    add(`parameters: ${shape}`, kind, (n) => of({ "/x": { get: get({ parameters: make(n) }) } }));
  }
  add("many paths", "number", (bytes) => {
    const count = bytes / 60;
    const paths = Array.from({ length: count }, (_, at) => [`/p${at}`, { get: { responses: {} } }]);
    return of(Object.fromEntries(paths));
  });
  add("references of references", "depth", (bytes) => {
    const count = Math.max(2, Math.floor(bytes / 120));
    const toRef = (at: number) => ({ $ref: `#/components/schemas/A${at}` });
    const schemas = Array.from({ length: count }, (_, at) => [
      `A${at}`,
      at === 0 ? { type: "string" } : { properties: { a: toRef(at - 1), b: toRef(at - 1) } },
    ]);
    const content = { "application/json": { schema: toRef(count - 1) } };
    const post = get({ requestBody: { content } });
    return of({ "/x": { post } }, { components: { schemas: Object.fromEntries(schemas) } });
  });
  return {
    group: "answers",
    name: "a document of OpenAPI",
    bytesMax: 9 * mebibyte,
    attacks,
    // It is read in a worker with a memory of its own.
    cpuMsExtra: 1_000,
    memoryMiBExtra: 256,
  };
}
