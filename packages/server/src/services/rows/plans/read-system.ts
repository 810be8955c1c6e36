import { findOwnKey } from "../../../connectors/kept-keys.ts";
import { type ErrorCode, HubError } from "../../../errors.ts";
import { checkInput, toBadRequest } from "../../../lib/input/check-input.ts";
import type { ExploredSystem } from "../../../operations/questions/explore-system.ts";
import { findConnector } from "../../connectors/find-connector.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { addDefaults, toFieldTexts } from "../row-values.ts";
import { type TestContext, toCallContext } from "../test-row.ts";
import { addressSchema } from "./address-schema.ts";

export type PlanDeps = Pick<ServiceDeps, "store" | "operations" | "registry" | "discoveries">;

export type SystemInput = {
  address?: string | undefined;
  /** The text of a document, in place of an address. */
  document?: string | undefined;
  /** Values of the fields of authentication, by key. */
  values?: Readonly<Record<string, unknown>> | undefined;
};

/** What was found, and the values that a row of it has. */
export type FoundSystem = {
  kind: "openapi" | "mcp";
  connector: string;
  address: string | null;
  values: Record<string, unknown>;
  found: ExploredSystem;
  /** The outside system shows its operations only after authentication. */
  needsAuthentication: boolean;
};

/**
 * Reads what is at an address, or in a document: the description of an API, or an MCP server; with `kind`, only that. Throws
 * `upstream_error` if it is neither.
 */
export async function readSystem(
  deps: PlanDeps,
  ctx: TestContext,
  input: SystemInput,
  kind?: FoundSystem["kind"],
): Promise<FoundSystem> {
  const { address, document, values = {} } = input;
  if ((address === undefined) === (document === undefined)) {
    const message = "must be given, or document: one of the two.";
    throw toBadRequest([{ path: "address", message }]);
  }
  const release = await deps.discoveries.enter({ owner: ctx.caller.userId }, ctx.signal);
  try {
    if (address === undefined) return await readApi(deps, ctx, { document, values });
    const url = checkInput(addressSchema, { address }).address;
    return await readAddress(deps, ctx, { address: url, values, kind });
  } finally {
    release();
  }
}

/** How addresses of MCP servers look. Only the order of the attempts depends on it. */
function looksLikeServer({ hostname, pathname }: URL): boolean {
  return /(?:^|[./-])(?:mcp|sse)(?:$|[./-])/i.test(`${hostname}${pathname}`);
}

type Read = () => Promise<FoundSystem>;

type AddressInput = {
  address: string;
  values: Readonly<Record<string, unknown>>;
  kind: FoundSystem["kind"] | undefined;
};

async function readAddress(
  deps: PlanDeps,
  ctx: TestContext,
  { address, values, kind }: AddressInput,
): Promise<FoundSystem> {
  const isServer = looksLikeServer(new URL(address));
  const asApi: Read = () => readApi(deps, ctx, { address, values });
  const asServer: Read = () => readServer(deps, ctx, { address, values, isServer });
  if (kind !== undefined) return await (kind === "mcp" ? asServer() : asApi());
  const [first, second] = isServer ? [asServer, asApi] : [asApi, asServer];
  const failure = await attempt(first, ["upstream_error"]);
  if (!(failure instanceof HubError)) return failure;
  // What answers as neither can also be silent.
  const other = await attempt(second, ["upstream_error", "timeout"]);
  if (!(other instanceof HubError)) return other;
  throw toNeither(isServer ? [other, failure] : [failure, other]);
}

/** Returns what was found, or the failure after which another attempt can succeed. */
async function attempt(
  read: Read,
  expected: readonly ErrorCode[],
): Promise<FoundSystem | HubError> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof HubError && expected.includes(thrown.code)) return thrown;
    throw thrown;
  }
}

function toNeither([api, server]: [HubError, HubError]): HubError {
  const { message, detail = {} } = api;
  if (message === server.message) return api;
  const isRefused = detail.http_status === 401 || detail.http_status === 403;
  const advice = isRefused
    ? " If it needs authentication, save the document and give its text instead."
    : "";
  // The advice of an MCP server's failure is about a row, and there is none yet.
  const status = server.detail?.http_status;
  const asServer = status === undefined ? server.message : `It answered ${status}.`;
  return new HubError(
    "upstream_error",
    `The hub found neither a description of an API nor an MCP server at this address. An API needs the address of its document, which often ends with /openapi.json.${advice} As a description of an API: ${message} As an MCP server: ${asServer}`,
    { detail },
  );
}

type ApiInput = Required<Pick<SystemInput, "values">> & SystemInput;

async function readApi(
  deps: PlanDeps,
  ctx: TestContext,
  { address, document, values = {} }: ApiInput,
): Promise<FoundSystem> {
  const connector = requireOwnKey(deps, "openapi");
  const own = { ...(address !== undefined && { document_url: address }) };
  const found = await explore(deps, ctx, { connector, values: own, document });
  const all = { ...values, ...own };
  const rest = { address: address ?? null, values: all, needsAuthentication: false };
  return { kind: "openapi", connector, found, ...rest };
}

type ServerInput = {
  address: string;
  values: Readonly<Record<string, unknown>>;
  isServer: boolean;
};

async function readServer(
  deps: PlanDeps,
  ctx: TestContext,
  { address, values, isServer }: ServerInput,
): Promise<FoundSystem> {
  const connector = requireOwnKey(deps, "mcp");
  const transport = /\/sse\/?$/i.test(new URL(address).pathname) ? "sse" : "http";
  const all: Record<string, unknown> = { ...values, transport, url: address };
  const base = { kind: "mcp" as const, connector, address, values: all };
  const locked: FoundSystem = {
    ...base,
    found: { operations: [], leftOut: [], system: null },
    needsAuthentication: true,
  };
  // An admin signs in at the server when there is a row.
  if (all.auth_mode === "oauth") return locked;
  try {
    const found = await explore(deps, ctx, { connector, values: all });
    return { ...base, found, needsAuthentication: false };
  } catch (thrown) {
    const isAsked = thrown instanceof HubError && thrown.detail?.http_status === 401;
    if (isServer && isAsked && (all.auth_mode ?? "none") === "none") return locked;
    throw thrown;
  }
}

type Explored = {
  connector: string;
  values: Record<string, unknown>;
  document?: string | undefined;
};

async function explore(
  { operations, registry }: PlanDeps,
  ctx: TestContext,
  { connector, values, document }: Explored,
): Promise<ExploredSystem> {
  const { configFields } = findConnector(registry, connector);
  const texts = addDefaults(configFields, toFieldTexts(configFields, values));
  return await operations.rows.explore(toCallContext(ctx), { connector, texts, document });
}

/** Plugins may have both keys: they would get what an admin types. */
function requireOwnKey({ registry }: PlanDeps, key: "openapi" | "mcp"): string {
  const own = findOwnKey(registry, key);
  if (own !== null) return own;
  throw new HubError(
    "conflict",
    `This hub's own connector \`${key}\` is off, because plugins have its keys. Remove the plugin \`hub_${key}\`, and restart the hub.`,
  );
}
