/**
 * The connector `openapi` with documents that others publish: which operations it finds, and whether an
 * independent proxy accepts its requests by the same document.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join, resolve } from "node:path";
import { parseDocument } from "../../packages/server/src/bridges/openapi/documents/parse-document.ts";
import { readDocument } from "../../packages/server/src/bridges/openapi/documents/read-openapi-document.ts";
import { cleanDiscovery } from "../../packages/server/src/connectors/by-row/clean-discovery.ts";
import { isWholeAmount, someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { type BridgeAdmin, openBridgeAdmin } from "../support/bridges/bridge-admin.ts";
import { connectHttp } from "../support/connect-sdk-2.ts";
import type { TestClient } from "../support/mcp-client.ts";
import { sampleParams } from "../support/sample-params.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { driveDocument } from "./support/drive-document.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

const modules = resolve(import.meta.dirname, "node_modules");
const github = "@octokit/openapi/generated";
const readme = "@readme/oas-examples";
const readText = (file: string) => Bun.file(join(modules, file)).text();
const all = { tags: [], paths: [], methods: [] };

/** Of a document that is driven by requests. In `.ci/nightly` every operation of every document is. */
const operationsMax = isWholeAmount ? Number.POSITIVE_INFINITY : 12;

const documents = [
  { file: `${github}/api.github.com.json`, operations: 1223, leftOut: 0 },
  // Most of their operations are those of the first one.
  ...(isWholeAmount
    ? [
        { file: `${github}/ghec.json`, operations: 1471, leftOut: 0 },
        { file: `${github}/ghes-3.19.json`, operations: 1039, leftOut: 0 },
      ]
    : []),
  { file: "@directus/specs/dist/openapi.json", operations: 136, leftOut: 0 },
  { file: `${readme}/3.0/json/star-trek.json`, operations: 120, leftOut: 0 },
  { file: `${readme}/3.1/yaml/readme.yaml`, operations: 54, leftOut: 0 },
  { file: `${readme}/3.1/json/train-travel.json`, operations: 7, leftOut: 0 },
  { file: `${readme}/3.1/json/schema-types.json`, operations: 23, leftOut: 0 },
  { file: `${readme}/2.0/json/petstore.json`, operations: 20, leftOut: 0 },
  { file: `${readme}/2.0/json/schema-circular.json`, operations: 1, leftOut: 0 },
];

test.each(documents)("The operations of $file are found, and the hub keeps all of them", async ({
  file,
  operations,
  leftOut,
}) => {
  const found = [...readDocument(parseDocument(await readText(file)), all)];
  const read = found.flatMap((one) => ("operation" in one ? [one.operation] : []));
  const out = found.flatMap((one) => ("leftOut" in one ? [one.leftOut] : []));
  const kept = await cleanDiscovery(read, (value) => value);
  expect(kept.leftOut).toEqual([]);
  expect({ operations: kept.operations.length, leftOut: out.length }).toEqual({
    operations,
    leftOut,
  });
});

/** Swagger 2 says nothing about the type of a body without `consumes`. The proxy then admits none. */
const untyped = [
  "POST /store/order",
  "POST /user",
  "POST /user/createWithArray",
  "POST /user/createWithList",
  "PUT /user/{username}",
].map(
  (place) => `${place}: request: No supported content types, but request included a non-empty body`,
);

/** The proxy takes the plus sign, which a form has in place of a space, as a reserved character. */
const json = ["PUT /form/primitive: request.body.object: Reserved characters used in request body"];

/** A text is also a number there, and `oneOf` admits one of them. */
const overlapping = ["GET", "DELETE", "PATCH"].map(
  (method) =>
    `${method} /items/{collection}/{id}: request.path.id: Request path parameter id must match exactly one schema in oneOf`,
);

/**
 * `refused` are requests that the proxy refuses although they follow the specification. The proxy ends
 * at an object in the paths that are left out, or does not read the members of a multipart body.
 */
const driven: { file: string; paths?: string[]; refused: string[] }[] = [
  {
    file: `${readme}/3.1/json/parameters-style.json`,
    paths: ["!/anything/path*", "!/anything/query/*Delimited", "!/anything/form-data*"],
    refused: [],
  },
  { file: `${readme}/3.1/json/schema-encoding-style.json`, refused: json },
  { file: `${readme}/3.1/json/train-travel.json`, refused: [] },
  // The proxy takes longest to read it, and the last one has the same version.
  ...(isWholeAmount ? [{ file: `${readme}/3.0/json/star-trek.json`, refused: [] }] : []),
  { file: `${readme}/2.0/json/petstore.json`, refused: untyped },
  { file: "@directus/specs/dist/openapi.json", refused: overlapping },
];

test.each(
  someOf(2, driven),
)("An independent proxy accepts the requests of the operations of $file", async ({
  file,
  paths = [],
  refused,
}) => {
  const { faults, calls } = await driveDocument(await readText(file), { paths, operationsMax });
  expect(calls).toBeGreaterThan(0);
  // What is refused wrongly depends on the proxy's dependencies.
  expect(faults.filter((fault) => !refused.includes(fault))).toEqual([]);
});

test.each(
  someOf(1, driven),
)("A refusal by the API of $file is passed on, and what changes there waits for an admin", async ({
  file,
}) => {
  const { hub, admin, client } = await openHub();
  const document = JSON.parse(await readText(file));
  const api = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      url.endsWith("/the-document")
        ? Response.json(document)
        : Response.json({ problem: "not today" }, { status: 422 }),
  });
  owned.defer(() => api.stop(true));
  const base_url = `http://127.0.0.1:${api.port}`;
  const row = await admin.addRow(
    { connector: "openapi", label: file },
    { base_url, document_url: `${base_url}/the-document` },
  );
  await admin.discover(row);
  const [found] = (await admin.review(row)).reviewed;
  if (found === undefined) throw new Error("nothing was discovered");
  await admin.approve(row);
  const params = sampleParams(Object(found.definition.input_schema));
  const refused = await client.execute(found.tool_id, params);
  expect(refused.value).toMatchObject({ code: "upstream_error", http_status: 422 });
  expect(refused.text).toContain("not today");

  const { method, path } = Object(found.definition.binding);
  const described = Object(document).paths[path][String(method).toLowerCase()];
  described.description = "Now it does something else.";
  const { changed } = await admin.discover(row);
  expect(changed).toEqual([found.key]);
  const { value } = await client.execute(found.tool_id, params);
  expect(value).toMatchObject({ code: "operation_disabled" });
  await hub.cli("row", "delete", row);
});

let opened: Promise<OpenHub> | undefined;
type OpenHub = { hub: RunningHub; admin: BridgeAdmin; client: TestClient };

/** One hub for all documents. */
function openHub(): Promise<OpenHub> {
  opened ??= (async () => {
    const hub = owned.use(await startHub());
    const admin = await openBridgeAdmin(hub);
    return { hub, admin, client: owned.use(await connectHttp(hub.url, hub.adminToken())) };
  })();
  return opened;
}
