import type { SourceSettings } from "@hub/contract/secret-source.ts";
import { readMember, readText, requestJson } from "../request-json.ts";
import type { ClientDeps, SourceClient } from "../source-client.ts";
import { SourceFailure } from "../source-failure.ts";

type ConnectSettings = Extract<SourceSettings, { kind: "onepassword_connect" }>;

/** 1Password Connect. The path is `vault/item`, the field a label or `section/label`. */
export function createOnePasswordConnectClient(
  { fetch }: ClientDeps,
  { address }: ConnectSettings,
  { token = "" }: { token?: string },
): SourceClient {
  const base = `${address.replace(/\/+$/, "")}/v1`;

  async function get(path: string, signal: AbortSignal): Promise<unknown> {
    const { status, body } = await requestJson(fetch, {
      url: `${base}${path}`,
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (status === 401 || status === 403) {
      throw new SourceFailure("refused", `1Password Connect refused the hub (status ${status})`);
    }
    if (status === 404) throw new SourceFailure("absent", "1Password Connect has no such item");
    if (status !== 200) throw new SourceFailure("bad", `1Password Connect answered ${status}`);
    return body;
  }

  /** The id of the one thing with this id or name. Names that two have are refused: they would be either. */
  async function findId(
    what: "vault" | "item",
    list: string,
    name: string,
    signal: AbortSignal,
  ): Promise<string> {
    if (/^[a-z0-9]{26}$/.test(name)) return name;
    const attribute = what === "vault" ? "name" : "title";
    const filter = encodeURIComponent(`${attribute} eq "${name}"`);
    const found = await get(`${list}?filter=${filter}`, signal);
    // Servers that do not know the filter answer with all.
    const named = (Array.isArray(found) ? found : []).filter(
      (entry) => readText(entry, attribute) === name,
    );
    const id = readText(named[0], "id");
    if (named.length > 1) {
      throw new SourceFailure(
        "absent",
        `1Password has several with the name of this ${what}. Use its id`,
      );
    }
    if (id === null || !/^[\w-]+$/.test(id)) {
      throw new SourceFailure(
        "absent",
        `1Password has no such ${what}, or does not show it to the hub`,
      );
    }
    return id;
  }

  return {
    async read({ path, field, version }, signal) {
      if (version !== null) {
        throw new SourceFailure(
          "bad",
          "1Password Connect has no versions. Remove it from the reference",
        );
      }
      const [vault = "", item = ""] = path.split("/");
      const vaultId = await findId("vault", "/vaults", vault, signal);
      const items = `/vaults/${vaultId}/items`;
      const itemId = await findId("item", items, item, signal);
      const whole = await get(`${items}/${itemId}`, signal);
      const number = readMember(whole, "version");
      return {
        value: findField(whole, field),
        version: typeof number === "number" ? String(number) : null,
      };
    },
  };
}

function findField(item: unknown, field: string): string {
  const fields = readMember(item, "fields");
  const sections = readMember(item, "sections");
  const [label = "", section = null] = field.split("/").reverse();
  const sectionId =
    section === null
      ? null
      : (Array.isArray(sections) ? sections : [])
          .filter(
            (entry) => readText(entry, "label") === section || readText(entry, "id") === section,
          )
          .map((entry) => readText(entry, "id"))[0];
  const found = (Array.isArray(fields) ? fields : []).filter((entry) => {
    const isNamed =
      label === ""
        ? readText(entry, "purpose") === "PASSWORD"
        : readText(entry, "label") === label || readText(entry, "id") === label;
    return isNamed && (section === null || readText(entry, "section", "id") === sectionId);
  });
  const value = readText(found[0], "value");
  if (found.length > 1) {
    throw new SourceFailure("absent", "the item has several such fields. Write `section/field`");
  }
  if (value === null) throw new SourceFailure("absent", "the item has no such field");
  return value;
}
