import { HubError } from "../../../errors.ts";
import type { Binding, ServerBinding } from "../binding.ts";
import type { OpenApiConfig } from "../openapi-config-fields.ts";

type ServerConfig = Pick<OpenApiConfig, "BaseURL" | "OtherServers" | "ServerVariables">;

/**
 * The address below which a call goes: the row's base URL, or one that an admin has admitted for an
 * operation with servers of its own. A document alone does not choose where calls go. Throws
 * `needs_setup`.
 */
export function findServer(config: ServerConfig, { servers }: Pick<Binding, "servers">): URL {
  const base = readServer("base_url", config.BaseURL);
  if (servers === undefined) return base;
  const admitted = [
    base,
    ...(config.OtherServers ?? []).map(({ url }) => readServer("other_servers", url)),
  ];
  const wanted = servers.map((server) => toUrl(config, server, base));
  for (const url of wanted) {
    const found = admitted.find((one) => url !== null && toComparable(one) === toComparable(url));
    if (found !== undefined) return found;
  }
  const named = wanted.find((url) => url !== null)?.href ?? "another server";
  throw new HubError(
    "needs_setup",
    `By its document, this operation goes to ${named}, which this row does not admit. An admin can add this address to other_servers in the settings of the row.`,
  );
}

/** Reads a server address of the row. Throws `needs_setup`. */
export function readServer(field: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const problem =
    url === null || !["http:", "https:"].includes(url.protocol)
      ? "must be an http or https address"
      : url.username !== "" || url.password !== ""
        ? "must not have a user name or password; set them under Authentication"
        : url.search !== ""
          ? "must not have a query"
          : null;
  if (url === null || problem !== null) {
    throw new HubError(
      "needs_setup",
      `This row's configuration is invalid: ${field} ${problem}. An admin can correct it in the settings of the row.`,
    );
  }
  url.hash = "";
  return url;
}

/** A relative address is below the row's server, not below the place of the document. */
function toUrl(config: ServerConfig, server: ServerBinding, base: URL): URL | null {
  const text = server.url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const set = config.ServerVariables?.find((one) => one.name === name)?.value;
    const { variables = {} } = server;
    return set ?? (Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole);
  });
  return URL.canParse(text, base.href) ? new URL(text, base) : null;
}

function toComparable({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, "");
}
