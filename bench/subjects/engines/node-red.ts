import { join } from "node:path";
import type { Bench } from "../../measure.ts";
import { findFreePort, readVersion, startNode } from "./node-program.ts";
import { awaitWebhook, countDone, ownAnswer, type WorkflowEngine } from "./workflow-engine.ts";

type EngineOptions = { node: string; packageFolder: string; sinkUrl: string };

/** Node-RED with its default settings. Runs are only in memory. */
export async function startNodeRed(bench: Bench, given: EngineOptions): Promise<WorkflowEngine> {
  const { node, packageFolder, sinkUrl } = given;
  const folder = await bench.createFolder();
  const port = await findFreePort();
  await Bun.write(join(folder, "flows.json"), JSON.stringify(toFlows(sinkUrl)));
  const settings = {
    flowFile: "flows.json",
    userDir: folder,
    uiHost: "127.0.0.1",
    uiPort: port,
    credentialSecret: "bench",
    logging: { console: { level: "error" } },
  };
  await Bun.write(join(folder, "settings.js"), `module.exports = ${JSON.stringify(settings)};`);
  const args = [join(packageFolder, "red.js"), "--settings", join(folder, "settings.js")];
  const startedAt = performance.now();
  const program = startNode({ node, args, folder, env: { NODE_ENV: "production" } });
  const url = `http://127.0.0.1:${port}`;
  const answering = { url: `${url}/answering`, answer: ownAnswer };
  await awaitWebhook(answering);
  return {
    about: `Node-RED ${await readVersion(packageFolder)}, default settings, runs in memory`,
    pid: program.pid,
    startedInMs: performance.now() - startedAt,
    immediate: { url: `${url}/immediate`, answer: "{}" },
    answering,
    countFinished: () => countDone(sinkUrl),
    [Symbol.asyncDispose]: program[Symbol.asyncDispose],
  };
}

function toFlows(sinkUrl: string): unknown[] {
  const place = { z: "flow", x: 0, y: 0, name: "" };
  const hook = (id: string, wires: string[]) => ({
    ...place,
    id,
    type: "http in",
    url: `/${id}`,
    method: "post",
    upload: false,
    wires: [wires],
  });
  const check = (id: string, next: string) => ({
    ...place,
    id,
    type: "switch",
    property: "payload.n",
    propertyType: "msg",
    rules: [{ t: "gt", v: "1", vt: "num" }],
    checkall: "true",
    repair: false,
    outputs: 1,
    wires: [[next]],
  });
  const value = (id: string, rules: object[], next: string) => ({
    ...place,
    id,
    type: "change",
    rules,
    reg: false,
    wires: [[next]],
  });
  const respond = (id: string) => ({
    ...place,
    id,
    type: "http response",
    statusCode: "200",
    headers: {},
    wires: [],
  });
  const set = (p: string, to: string, tot: string) => ({ t: "set", p, pt: "msg", to, tot });
  return [
    { id: "flow", type: "tab", label: "Bench" },
    hook("immediate", ["emptied", "check"]),
    value("emptied", [set("payload", "{}", "json")], "accepted"),
    respond("accepted"),
    check("check", "value"),
    value("value", [set("url", `"${sinkUrl}/done?id=" & payload.id`, "jsonata")], "call"),
    {
      ...place,
      id: "call",
      type: "http request",
      method: "GET",
      ret: "obj",
      paytoqs: "ignore",
      url: "",
      tls: "",
      persist: false,
      proxy: "",
      authType: "",
      senderr: false,
      wires: [[]],
    },
    hook("answering", ["check2"]),
    check("check2", "value2"),
    value("value2", [set("payload", '{"n": payload.n}', "jsonata")], "answer"),
    respond("answer"),
  ];
}
