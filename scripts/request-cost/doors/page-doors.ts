import { appPageCases, pageCases } from "../cases/page-cases.ts";
import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts } from "../shapes.ts";
import { headBytesMax, toHeader } from "./tool-doors.ts";

/** The cookies of a browser are in one header, beside the one of the session. */
const headers = ["cookie", "user-agent", "accept-language", "if-none-match", "referer", "x-any"];

/** Every address that is read by GET: pages, files of the app, what OAuth publishes, and probes. */
export async function openPageDoors(fixture: CostFixture): Promise<Door[]> {
  const { headers: ofForm } = await fixture.openForm("/profile/tokens");
  const { "content-type": _, ...signedIn } = ofForm;
  return pageCases.map((path) => toPageDoor(fixture, path, signedIn));
}

function toPageDoor(fixture: CostFixture, given: string, signedIn: Record<string, string>): Door {
  const { hub, ids } = fixture;
  const path = given.replaceAll(/:(\w+)/g, (_, name: string) =>
    name in ids ? Object(ids)[name] : "x",
  );
  const attacks: Record<string, Attack> = {};
  const get = (at: string, more: Record<string, string> = {}) => ({
    method: "GET",
    path: at.slice(0, headBytesMax),
    headers: { ...signedIn, ...fixture.asAnotherClient(), ...more },
  });
  const add = (
    name: string,
    kind: Attack["kind"],
    make: (bytes: number) => ReturnType<typeof get>,
  ) =>
    Object.assign(attacks, {
      [name]: {
        kind,
        bytesMax: headBytesMax,
        prepare: (bytes: number) => toPrepared(hub, make(bytes)),
      },
    });
  const isLikeFirst = appPageCases.indexOf(given) > 0;
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`query: ${shape}`, kind, (bytes) => get(`${path}?${encodeURI(make(bytes / 3))}`));
    if (isLikeFirst) continue;
    add(`next: ${shape}`, kind, (bytes) => {
      return get(`${path}?${new URLSearchParams({ next: make(bytes / 3), state: make(100) })}`);
    });
    for (const header of headers) {
      add(`${header}: ${shape}`, kind, (bytes) => {
        const before = header === "cookie" ? `${signedIn.cookie ?? ""}; ` : "";
        return get(path, { [header]: before + toHeader(make(bytes)) });
      });
    }
    if (path === "/")
      add(`address: ${shape}`, kind, (bytes) => get(`/${encodeURI(make(bytes / 3))}`));
  }
  if (isLikeFirst) return { group: "pages", name: `GET ${given}`, bytesMax: headBytesMax, attacks };
  add("many cookies", "number", (bytes) => {
    return get(path, { cookie: `${signedIn.cookie ?? ""}; ${"a=1; ".repeat(bytes / 5)}` });
  });
  add("many headers", "number", (bytes) => {
    const many = Array.from({ length: Math.min(90, bytes / 20) }, (_, at) => [`x-${at}`, "1"]);
    return get(path, Object.fromEntries(many));
  });
  Object.assign(
    attacks,
    listDeliveries(hub, () => get(path), { hasBody: false }),
  );
  return { group: "pages", name: `GET ${given}`, bytesMax: headBytesMax, attacks };
}
