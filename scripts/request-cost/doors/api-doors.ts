import { isPathName } from "../cases/path-names.ts";
import { routeCases } from "../cases/route-cases.ts";
import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import { fill, listHostile, toFields } from "../list-attacks.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, writeJson } from "../shapes.ts";
import { headBytesMax, messageBytesMax, toHeader } from "./tool-doors.ts";

const hashMs = 1_500;

/** Requests that store nothing, so that 200 of them leave the hub as it was. */
const sentOften = [
  "POST /manager/api/imports/plan",
  "POST /manager/api/rows/{row}/discover",
  "POST /manager/api/workflows/validate",
  "POST /manager/api/workflows/{workflow}/preview",
];

/** Every route of the management API. */
export function listApiDoors(fixture: CostFixture): Door[] {
  const doors = Object.keys(routeCases).map((route) => toRouteDoor(fixture, route));
  return [...doors, toUploadDoor(fixture), toHeadDoor(fixture)];
}

function toRouteDoor(fixture: CostFixture, route: string): Door {
  const { query = {}, body, isEnd = false } = routeCases[route] ?? {};
  const [method = "", path = ""] = route.split(" ");
  const names = isEnd ? fixture.spares : fixture.ids;
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isPathName(name))
      throw new Error(`The path ${path} has the parameter ${name}, which has no case`);
    return names[name];
  });
  const attacks: Record<string, Attack> = {};
  const known = fill(query, fixture.ids.user);
  const headers = toApiHeaders(fixture);
  const prepare = (spec: Pick<RequestSpec, "path" | "body">) =>
    toPrepared(fixture.hub, { method, headers, ...spec });
  for (const member of ["unknown", ...Object.keys(known)]) {
    for (const [shape, { kind, make }] of Object.entries(texts)) {
      attacks[`?${member}: ${shape}`] = {
        kind,
        bytesMax: headBytesMax,
        prepare: (bytes) => {
          const search = new URLSearchParams({ ...toFields(known), [member]: make(bytes / 3) });
          return prepare({ path: `${at}?${search}`.slice(0, headBytesMax) });
        },
      };
    }
  }
  attacks["many names in the query"] = {
    kind: "number",
    bytesMax: headBytesMax,
    prepare: (bytes) => prepare({ path: `${at}?${"a=1&".repeat(bytes / 4)}` }),
  };
  for (const [name, kind, make] of method === "GET" ? [] : listHostile(body ?? {})) {
    attacks[`body, ${name}`] = {
      kind,
      prepare: (bytes) => prepare({ path: at, body: writeJson(make(bytes)) }),
    };
  }
  const isOften = method === "GET" || sentOften.includes(route);
  if (isOften && !isEnd) {
    const pad = (bytes: number) => ({ ...body, pad: "x".repeat(bytes) });
    const own = method === "GET" ? {} : { body: (bytes: number) => writeJson(pad(bytes)) };
    const make = (bytes: number): RequestSpec => ({
      method,
      path: at,
      headers,
      ...(own.body !== undefined && { body: own.body(bytes) }),
    });
    const hasBody = route === "POST /manager/api/workflows/validate";
    Object.assign(
      attacks,
      hasBody
        ? listDeliveries(fixture.hub, make)
        : listDeliveries(fixture.hub, make, { hasBody, kinds: ["parallelism", "idling"] }),
    );
  }
  const bytesMax = method === "GET" ? headBytesMax : messageBytesMax;
  const cpuMsExtra = route.endsWith("one-time-password") ? hashMs : 0;
  return { group: "api", name: route, bytesMax, cpuMsExtra, isEnd, attacks };
}

function toApiHeaders({ manageToken }: CostFixture): Record<string, string> {
  const authorization = `Bearer ${manageToken}`;
  return { "content-type": "application/json", accept: "application/json", authorization };
}

/** A file of a plugin, which is read in portions. */
function toUploadDoor(fixture: CostFixture): Door {
  const attacks: Record<string, Attack> = {};
  const make = (body: string): RequestSpec => ({
    method: "POST",
    path: "/manager/api/plugins/upload?name=x.zip",
    body,
    headers: { ...toApiHeaders(fixture), "content-type": "application/octet-stream" },
  });
  for (const [shape, { kind, make: write }] of Object.entries(texts)) {
    attacks[`file: ${shape}`] = {
      kind,
      prepare: (bytes) => toPrepared(fixture.hub, make(write(bytes))),
    };
  }
  Object.assign(
    attacks,
    listDeliveries(fixture.hub, (bytes) => make("x".repeat(bytes))),
  );
  return { group: "api", name: "an uploaded file", bytesMax: messageBytesMax, attacks };
}

/** Headers and addresses, which are read before the route is known. */
function toHeadDoor(fixture: CostFixture): Door {
  const attacks: Record<string, Attack> = {};
  const known = toApiHeaders(fixture);
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    for (const header of ["authorization", "cookie", "x-forwarded-for", "origin", "accept"]) {
      attacks[`${header}: ${shape}`] = {
        kind,
        bytesMax: headBytesMax,
        prepare: (bytes) => {
          const headers = { ...known, [header]: toHeader(make(bytes)) };
          return toPrepared(fixture.hub, { method: "GET", path: "/profile/api/me", headers });
        },
      };
    }
    attacks[`address: ${shape}`] = {
      kind,
      bytesMax: headBytesMax,
      prepare: (bytes) => {
        const path = `/manager/api/${encodeURI(make(bytes / 3))}`.slice(0, headBytesMax);
        return toPrepared(fixture.hub, { method: "GET", path, headers: known });
      },
    };
  }
  return { group: "api", name: "headers and addresses", bytesMax: headBytesMax, attacks };
}
