import { createHmac } from "node:crypto";
import type { Members } from "../cases/members.ts";
import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { pairs, texts, values, writeJson } from "../shapes.ts";
import { headBytesMax, toHeader } from "./tool-doors.ts";

const signingSecret = "sign-k3y/of+the=hook-0123";
/** Some shapes are a little longer than they are asked for, and the limit is 10 MiB. */
const bodyBytesMax = 8.5 * 1024 * 1024;

const echo = [{ id: "out", type: "set", value: "{{.Event.Payload}}" }];
const respond = [{ id: "out", type: "webhook_respond", respond_body: "{{.Event.Payload.raw}}" }];

/** The workflows whose addresses take every sort of body. */
const receivers: Record<string, { trigger: Members; nodes: Members[]; isSigned?: boolean }> = {
  "answered immediately": { trigger: {}, nodes: [{ id: "out", type: "set", value: "x" }] },
  "answered by the last node": { trigger: { respond_mode: "last_node" }, nodes: echo },
  "answered by a node": { trigger: { respond_mode: "respond_node" }, nodes: respond },
  signed: { trigger: { secret_ref: "SIGN" }, nodes: echo, isSigned: true },
  "signed wrongly": { trigger: { secret_ref: "SIGN" }, nodes: echo, isSigned: false },
};

/** The webhooks of workflows: what they read, and what their nodes do with two parts of it. */
export async function openWebhookDoors(fixture: CostFixture): Promise<Door[]> {
  const doors: Door[] = [];
  for (const [name, { trigger, nodes, isSigned }] of Object.entries(receivers)) {
    const path = `/webhook/${await publish(fixture, trigger, nodes)}/`;
    doors.push(toReceiverDoor(fixture, `webhook ${name}`, path, isSigned));
  }
  const absent = `/webhook/${crypto.randomUUID()}/x`;
  doors.push(toReceiverDoor(fixture, "webhook of no workflow", absent));
  for (const [name, node] of [...toConditions(), ...toTemplates()]) {
    const path = `/webhook/${await publish(fixture, { respond_mode: "last_node" }, [node])}/`;
    doors.push(toPairDoor(fixture, `webhook with ${name}`, path));
  }
  return doors;
}

async function publish({ api }: CostFixture, trigger: Members, nodes: Members[]): Promise<string> {
  const triggers = [{ id: "hook", type: "webhook", entry: "out", ...trigger }];
  const name = `Cost ${crypto.randomUUID()}`;
  const { id } = await api("POST", "/manager/api/workflows", { name, body: { triggers, nodes } });
  const path = `/manager/api/workflows/${id}`;
  await api("PUT", `${path}/secrets/SIGN`, { value: signingSecret });
  await api("POST", `${path}/publish`, { revision: 1 });
  return String(id);
}

function toReceiverDoor(
  fixture: CostFixture,
  name: string,
  path: string,
  isSigned?: boolean,
): Door {
  const { hub } = fixture;
  const attacks: Record<string, Attack> = {};
  const post = (body: string, type: string, more: Record<string, string> = {}, at = path) => {
    const hmac = isSigned === undefined ? "" : createHmac("sha256", signingSecret);
    const digest = hmac === "" ? "" : hmac.update(isSigned ? body : "x").digest("hex");
    const signature: Record<string, string> =
      digest === "" ? {} : { "x-hub-sig": `sha256=${digest}` };
    const headers = { "content-type": type, ...signature, ...fixture.asAnotherClient(), ...more };
    return { method: "POST", path: at, headers, body } satisfies RequestSpec;
  };
  const add = (attack: string, one: Attack) => Object.assign(attacks, { [attack]: one });
  for (const [shape, { kind, make }] of Object.entries(values)) {
    const prepare: Attack["prepare"] = (bytes) =>
      toPrepared(hub, post(writeJson(make(bytes)), "application/json"));
    add(`JSON: ${shape}`, { kind, prepare });
  }
  const form = "application/x-www-form-urlencoded";
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`text: ${shape}`, { kind, prepare: (n) => toPrepared(hub, post(make(n), "text/plain")) });
    add(`form: ${shape}`, { kind, prepare: (n) => toPrepared(hub, post(make(n), form)) });
    add(`query: ${shape}`, {
      kind,
      bytesMax: headBytesMax,
      prepare: (bytes) => {
        const at = `${path}?${encodeURI(make(bytes / 3))}`.slice(0, headBytesMax);
        return toPrepared(hub, post("{}", "application/json", {}, at));
      },
    });
    for (const header of ["x-any", "x-hub-sig", "content-type", "x-github-delivery"]) {
      add(`${header}: ${shape}`, {
        kind,
        bytesMax: headBytesMax,
        prepare: (bytes) =>
          toPrepared(hub, post("{}", "application/json", { [header]: toHeader(make(bytes)) })),
      });
    }
  }
  const make = (bytes: number) => post(writeJson({ pad: "x".repeat(bytes) }), "application/json");
  Object.assign(attacks, listDeliveries(hub, make));
  return { group: "webhooks", name, bytesMax: bodyBytesMax, attacks };
}

const left = "{{.Event.Payload.body.text}}";
const right = "{{.Event.Payload.body.part}}";

/** A node for each way to compare two parts of a payload. */
function toConditions(): Array<[string, Members]> {
  const operators = ["eq", "ne", "lt", "contains", "in", "starts_with", "ends_with", "matches"];
  return [
    ...operators.map((op): [string, Members] => {
      const sides = op === "in" ? { left: right, right: left } : { left, right };
      const bound = op === "matches" ? { left, right: "(a|b)+(aa|ab){1,50}c" } : sides;
      return [`the condition ${op}`, { id: "out", type: "branch", conditions: [{ op, ...bound }] }];
    }),
    [
      "100 conditions contains",
      {
        id: "out",
        type: "branch",
        match: "any",
        conditions: Array.from({ length: 100 }, () => ({ op: "contains", left, right })),
      },
    ],
    [
      "a switch of contains",
      { id: "out", type: "switch", value: left, cases: [{ case: "known", op: "contains", right }] },
    ],
  ];
}

/** Each function of templates that reads a text, once, and in the rounds of a loop. */
function toTemplates(): Array<[string, Members]> {
  const text = ".Event.Payload.body.text";
  const part = ".Event.Payload.body.part";
  const ofTwo = [`replace ${part} "x" ${text}`, `split ${part} ${text}`, `eq ${text} ${part}`];
  const ofOne = [
    ...["eq", "ne", "lt", "le", "gt", "ge"].map((name) => `${name} $${text} "x"`),
    ...["len", "upper", "lower", "trim", "html", "js", "urlquery", "base64", "jsonEscape"].map(
      (name) => `${name} $${text}`,
    ),
    ...["print", "toJSON", "first", "last", "keys", "fromJSON", "not"].map(
      (name) => `${name} $${text}`,
    ),
    `index $${text} 1`,
    `slice $${text} 0 1`,
    `truncate 3 $${text}`,
    `join "," (split "," $${text})`,
    `printf "%s %q %x" $${text} $${text} $${text}`,
    `default "x" $${text}`,
    `and $${text} "x"`,
    `date "2006" $${text}`,
    `split "a" $${text}`,
    `replace "a" "" $${text}`,
  ];
  const rounds = (action: string) =>
    `{{range .Event.Payload.body.list}}{{if ${action}}}y{{end}}{{end}}`;
  const toSet = (value: string): Members => ({ id: "out", type: "set", value });
  return [
    ...ofTwo.map((action): [string, Members] => [
      action.split(" ")[0] ?? "",
      toSet(`{{len (print (${action}))}}`),
    ]),
    ...ofOne.map((action): [string, Members] => [
      `rounds of ${action.replaceAll(`$${text}`, "TEXT")}`,
      toSet(rounds(action)),
    ]),
  ];
}

/** Two parts of a payload, and a list whose items are rounds of a loop. */
function toPairDoor(fixture: CostFixture, name: string, path: string): Door {
  const attacks: Record<string, Attack> = {};
  for (const [shape, { kind, make }] of Object.entries(pairs)) {
    for (const [share, of] of Object.entries({ "most is text": 0.9, "half is a list": 0.5 })) {
      if (share.startsWith("half") && !/rounds/.test(name)) continue;
      attacks[`${shape}, ${share}`] = {
        kind,
        prepare: (bytes) => {
          // A list of numbers has at most 100,000 values.
          const count = Math.min(90_000, Math.floor((bytes * (1 - of)) / 2));
          const body = writeJson({ ...make(bytes * of), list: Array(count).fill(1) });
          const headers = { "content-type": "application/json", ...fixture.asAnotherClient() };
          return toPrepared(fixture.hub, { method: "POST", path, headers, body });
        },
      };
    }
  }
  return { group: "webhooks", name, bytesMax: bodyBytesMax, attacks };
}
