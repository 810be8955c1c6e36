import { isJsonObject } from "@hub/connector";
import { openTestRow } from "../../../packages/server/src/bridges/openapi/testing/open-row.ts";
import { createSchemaChecker } from "../../../packages/server/src/lib/json-schema/check-schema.ts";
import { createDataFolder } from "../../support/data-folder.ts";
import { sampleParams } from "../../support/sample-params.ts";
import { toCheckable, toDriven } from "./checkable-document.ts";
import { readViolations, startPrismProxy } from "./prism-proxy.ts";

type Drive = {
  /** Patterns of paths, as in the row's settings. */
  paths?: readonly string[];
  /** At most so many operations, from all parts of the document. */
  operationsMax?: number;
};

/**
 * Calls the operations of a document in JSON, and has an independent proxy check each request by the same document.
 * `faults` are the proxy's violations, such as `GET /items: request.query.limit: must be integer`.
 */
export async function driveDocument(
  text: string,
  { paths = [], operationsMax = Number.POSITIVE_INFINITY }: Drive = {},
): Promise<{ found: number; calls: number; faults: string[] }> {
  await using stack = new AsyncDisposableStack();
  const upstream = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({}) });
  stack.defer(() => upstream.stop(true));
  const { path: home } = stack.use(await createDataFolder());
  const given = toDriven(JSON.parse(text));
  const document = toCheckable(given);
  const prism = stack.use(await startPrismProxy(document, String(upstream.url), home));
  let violations: string[] = [];
  const recorder = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const { pathname, search } = new URL(req.url);
      const headers = new Headers(req.headers);
      for (const name of ["host", "connection", "content-length", "accept-encoding"])
        headers.delete(name);
      const body = await req.bytes();
      const answer = await fetch(prism.url + pathname + search, {
        method: req.method,
        headers,
        ...(body.byteLength > 0 && { body }),
      });
      violations = readViolations(answer, await answer.text()).map(
        ({ location, message }) => `${location.join(".")}: ${message}`,
      );
      return Response.json({});
    },
  });
  stack.defer(() => recorder.stop(true));
  const row = openTestRow({
    base_url: `http://api.test:${recorder.port}`,
    paths: JSON.stringify(paths.map((path) => ({ path }))),
    auth_mode: "bearer",
    token: "token-Zk4tV9pQx7Lw2Rn8",
  });
  const faults: string[] = [];
  const found = [...(await row.discover(JSON.stringify(given)))];
  const step = Math.max(1, Math.ceil(found.length / operationsMax));
  const driven = found.filter((_, at) => at % step === 0);
  for (const { sourceName, inputSchema, binding } of driven) {
    const params = sampleParams(inputSchema);
    const issue = createSchemaChecker(inputSchema)(params);
    if (issue !== null) throw new Error(`${sourceName}: ${JSON.stringify([issue, params])}`);
    violations = [];
    await row.call(sourceName, params);
    if (!isJsonObject(binding)) continue;
    faults.push(...violations.map((one) => `${binding.method} ${binding.path}: ${one}`));
  }
  return { found: found.length, calls: driven.length, faults };
}
