import { formCases } from "../cases/form-cases.ts";
import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import { fill, toFields } from "../list-attacks.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";

/** For a hash of a password. */
const hashMs = 1_500;
const hashMiB = 128;
const formBytesMax = 60 * 1024;

/** Every form, and the endpoints of OAuth that read one. */
export function listFormDoors(fixture: CostFixture): Door[] {
  return Object.keys(formCases).map((path) => toFormDoor(fixture, path));
}

type OpenForm = { path: string; headers: Record<string, string>; csrf: string };

function toFormDoor(fixture: CostFixture, path: string): Door {
  const { fields, isEnd = false, kind: sort } = formCases[path] ?? { fields: {} };
  let opened: Promise<OpenForm> | null = null;
  const open = () => {
    opened ??=
      sort === "of a client"
        ? Promise.resolve({ path, headers: clientHeaders, csrf: "" })
        : fixture.openForm(path);
    return opened;
  };
  const isJson = path === "/oauth/register";
  const valid = fill(fields, fixture.clientId);
  const toRequest = async (write: (csrf: string) => string): Promise<RequestSpec> => {
    const { path: at, headers, csrf } = await open();
    const own = { ...headers, ...fixture.asAnotherClient(), ...(isJson && jsonType) };
    return { method: "POST", path: at, headers: own, body: write(csrf) };
  };
  const writeFields = (csrf: string, more: Record<string, string>) =>
    isJson
      ? writeJson({ ...valid, ...more })
      : new URLSearchParams({ csrf, ...toFields(valid), ...more }).toString();

  const attacks: Record<string, Attack> = {};
  const add = (
    name: string,
    kind: Attack["kind"],
    write: (bytes: number) => (csrf: string) => string,
  ) => {
    const prepare: Attack["prepare"] = async (bytes) =>
      toPrepared(fixture.hub, await toRequest(write(bytes)));
    attacks[name] = { kind, prepare };
  };
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    for (const member of ["csrf", "unknown", ...Object.keys(valid)]) {
      add(`${member}: ${shape}`, kind, (bytes) => (csrf) => {
        const body = writeFields(csrf, { [member]: make(bytes / 3) });
        return isJson ? body : body.slice(0, bytes);
      });
    }
    add(`names: ${shape}`, kind, (bytes) => (csrf) => {
      return `csrf=${encodeURIComponent(csrf)}&${make(bytes - 100)}`;
    });
  }
  for (const [shape, { kind, make }] of isJson ? Object.entries(values) : []) {
    add(`redirect_uris: ${shape}`, kind, (bytes) => () => {
      return writeJson({ ...valid, redirect_uris: make(bytes) });
    });
  }
  if (!isEnd) {
    const make = (bytes: number) =>
      toRequest((csrf) => writeFields(csrf, { pad: "x".repeat(bytes) }));
    // A hash of a password takes long, so 200 of them are the subject of tests of the sign-in.
    const kinds = sort === "hashes" ? (["chunking", "idling"] as const) : undefined;
    const deliveries = listDeliveries(fixture.hub, make, { ...(kinds && { kinds }) });
    if (sort === "hashes") delete deliveries["2,000 on one connection"];
    Object.assign(attacks, deliveries);
  }
  const extra = sort === "hashes" ? { cpuMsExtra: hashMs, memoryMiBExtra: hashMiB } : {};
  return { group: "forms", name: `form ${path}`, bytesMax: formBytesMax, ...extra, isEnd, attacks };
}

const jsonType = { "content-type": "application/json" };
const clientHeaders = {
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-site": "same-origin",
};
