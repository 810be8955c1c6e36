import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";
import { headBytesMax, toHeader } from "./tool-doors.ts";

const bodyBytesMax = 900 * 1024;
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

/** SCIM: what a client's bodies, paths and filters cost, and what those of a stranger do. */
export async function openScimDoors(fixture: CostFixture): Promise<Door[]> {
  const made = await fixture.hub.cli("scim", "add", "cost", "--json");
  const { token } = made.json<{ token: string }>();
  return [
    toScimDoor(fixture, "SCIM", `Bearer ${token}`),
    toScimDoor(fixture, "SCIM of a stranger", `Bearer hub_scim_${"0".repeat(32)}`),
  ];
}

function toScimDoor({ hub, asAnotherClient }: CostFixture, name: string, token: string): Door {
  const attacks: Record<string, Attack> = {};
  const send = (method: string, at: string, body?: string): RequestSpec => ({
    method,
    path: `/scim/v2${at}`,
    headers: {
      authorization: token,
      "content-type": "application/scim+json",
      ...asAnotherClient(),
    },
    ...(body !== undefined && { body }),
  });
  const add = (attack: string, one: Attack) => Object.assign(attacks, { [attack]: one });
  const absent = crypto.randomUUID();
  for (const [shape, { kind, make }] of Object.entries(values)) {
    const bodies: Record<string, (value: unknown) => RequestSpec> = {
      "a new user": (value) =>
        send("POST", "/Users", writeJson({ schemas: [userSchema], name: value })),
      "a new group": (value) =>
        send("POST", "/Groups", writeJson({ displayName: "cost", members: value })),
      "a patch": (value) =>
        send(
          "PATCH",
          `/Groups/${absent}`,
          writeJson({ schemas: [patchSchema], Operations: value }),
        ),
      "a value of a patch": (value) => {
        const Operations = [{ op: "replace", path: "members", value }];
        return send(
          "PATCH",
          `/Groups/${absent}`,
          writeJson({ schemas: [patchSchema], Operations }),
        );
      },
    };
    for (const [what, toRequest] of Object.entries(bodies)) {
      add(`${what}: ${shape}`, { kind, prepare: (n) => toPrepared(hub, toRequest(make(n))) });
    }
  }
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`path of a patch: ${shape}`, {
      kind,
      prepare: (bytes) => {
        const Operations = [{ op: "replace", path: make(bytes), value: "x" }];
        const body = writeJson({ schemas: [patchSchema], Operations });
        return toPrepared(hub, send("PATCH", `/Users/${absent}`, body));
      },
    });
    add(`filter: ${shape}`, {
      kind,
      bytesMax: headBytesMax,
      prepare: (bytes) => {
        const filter = encodeURIComponent(toHeader(make(bytes / 3)));
        return toPrepared(hub, send("GET", `/Users?filter=${filter}`.slice(0, headBytesMax)));
      },
    });
  }
  const make = (bytes: number) => send("POST", "/Users", writeJson({ pad: "x".repeat(bytes) }));
  Object.assign(attacks, listDeliveries(hub, make));
  return { group: "scim", name, bytesMax: bodyBytesMax, attacks };
}
