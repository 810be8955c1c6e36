import {
  chooseName,
  findExposedSecrets,
} from "../../../bridges/mcp/secrets/find-exposed-secrets.ts";
import type { ServerEntry } from "./read-servers-file.ts";
import { isRecord, type Members } from "./read-servers-file.ts";

/** A row of the connector `mcp`, as an entry of a client's file describes it. */
export type ImportedRow = {
  label: string;
  values: Record<string, string>;
  transport: Transport;
  /** What it starts or where it connects, without secrets. */
  target: string;
  startsProgram: boolean;
  /** The names of the secrets that it brings. */
  secrets: string[];
  /** What the client fills in and the hub cannot. */
  missing: string[];
};

export type Transport = "http" | "sse" | "stdio";

export type Skipped = { label: string; reason: string };

/** A reason to leave an entry out. */
class Refusal extends Error {}

/** Reads one entry of a client's file. */
export function toRow({ name, folder, entry }: ServerEntry): ImportedRow | Skipped {
  try {
    if (!isRecord(entry)) throw new Refusal("It is not an object.");
    if (entry.disabled === true || entry.enabled === false) {
      throw new Refusal("It is disabled in the file.");
    }
    const plain = toCommonForm(entry);
    if (isHub(plain)) throw new Refusal("It is a hub.");
    const address = plain.url ?? plain.httpUrl;
    if (typeof address === "string") return toRemote(name, plain, address);
    if (typeof plain.command === "string") return toProgram(name, plain, plain.command, folder);
    if (entry.source === "extension" || entry.settings !== undefined) {
      throw new Refusal("It is an extension of the client.");
    }
    throw new Refusal("It has neither a command nor a url.");
  } catch (thrown) {
    if (thrown instanceof Refusal) return { label: name, reason: thrown.message };
    throw thrown;
  }
}

/** Some clients write the command with its arguments in one list, or in an object. */
function toCommonForm(entry: Members): Members {
  const { command, environment } = entry;
  const env = entry.env ?? environment;
  if (Array.isArray(command)) return { ...entry, env, command: command[0], args: command.slice(1) };
  if (!isRecord(command)) return { ...entry, env };
  return { ...entry, env: env ?? command.env, command: command.path, args: command.args };
}

/** This hub itself, or another one that a client starts. */
function isHub({ command, args, env }: Members): boolean {
  const words = [command, args].flat();
  const isServe = words.some((word, at) => word === "mcp" && words[at + 1] === "serve");
  return isServe && isRecord(env) && typeof env.HUB_DATA_DIR === "string";
}

function toProgram(
  label: string,
  entry: Members,
  command: string,
  project: string | null,
): ImportedRow {
  const args = readTexts("args", entry.args);
  const { known, missing } = splitPairs("env", entry.env);
  // Names of variables that the client hands on from its own environment.
  missing.push(...readTexts("env_vars", entry.env_vars));
  if (entry.envFile !== undefined) missing.push("envFile");
  const folder = readFolder(entry.cwd ?? project ?? undefined, missing);
  refusePlaceholder("command", command);
  const named = nameSecrets({ url: "", args });
  missing.push(...named.missing);
  return {
    label,
    values: {
      transport: "stdio",
      command,
      args: JSON.stringify(named.args.map((value) => ({ value }))),
      ...(Object.keys(known).length > 0 && { env: JSON.stringify(known) }),
      ...(folder !== null && { folder }),
      ...named.values,
    },
    transport: "stdio",
    target: [command, ...named.args].map(quote).join(" "),
    startsProgram: true,
    secrets: [...Object.keys(known), ...named.secrets],
    missing,
  };
}

function toRemote(label: string, entry: Members, address: string): ImportedRow {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Refusal("Its url is not valid.");
  refusePlaceholder("url", url.host);
  const { known, missing } = splitPairs("headers", entry.headers ?? entry.http_headers);
  const credential = takeUser(url, known);
  const areHeadersMissing = missing.length > 0 || isRecord(entry.env_http_headers);
  const found = nameSecrets({ url: credential === null ? address : url.href, args: [] });
  missing.push(...found.missing);
  const named = splitPairs("env_http_headers", entry.env_http_headers);
  missing.push(...Object.keys(named.known));
  const isNamed = typeof entry.bearer_token_env_var === "string";
  if (isNamed) missing.push(String(entry.bearer_token_env_var));
  const isSse =
    entry.type === "sse" || (entry.type === undefined && /\/sse\/?$/.test(url.pathname));
  const hasBearer =
    isNamed || missing.some((what) => /^authorization$/i.test(what.split(" ")[0] ?? ""));
  return {
    label,
    values: {
      transport: isSse ? "sse" : "http",
      url: found.url,
      ...toAuthentication(known, hasBearer, areHeadersMissing),
      ...found.values,
    },
    transport: isSse ? "sse" : "http",
    target: found.url,
    startsProgram: false,
    secrets: [...Object.keys(known), ...found.secrets],
    missing,
  };
}

/**
 * Names the likely secrets in an address and in arguments, and what the client fills in there. Their
 * values become the row's field `secrets`.
 */
function nameSecrets({ url, args }: { url: string; args: readonly string[] }) {
  const values: Record<string, string> = Object.create(null);
  const missing: string[] = [];
  const used = new Set<string>();
  const names = new Map<string, string>();
  const toName = (text: string, member: string) =>
    text.replace(placeholders, (whole) => {
      const placeholder = findPlaceholder(whole) ?? whole;
      const variable = /^\$?\{(?:(?:env|input):)?([\w.-]+)\}$/.exec(placeholder)?.[1] ?? "";
      // Folders of the client have names in lower case, such as ${workspaceFolder}.
      const isFilled = /\b(?:env|input):/.test(placeholder) || /^[A-Z_][A-Z0-9_]*$/.test(variable);
      if (!isFilled || variable === "") refusePlaceholder(member, whole);
      const name = names.get(placeholder) ?? chooseName(variable, used);
      if (!used.has(name)) missing.push(`${name} of ${member} (${placeholder})`);
      used.add(name);
      names.set(placeholder, name);
      values[name] = "";
      return `\${${name}}`;
    });
  const plain = { url: toName(url, "url"), args: args.map((arg) => toName(arg, "args")) };
  const sealed = findExposedSecrets(plain, used);
  for (const { name, value } of sealed.exposed) values[name] = value;
  const isNone = Object.keys(values).length === 0;
  const fields: Record<string, string> = isNone ? {} : { secrets: JSON.stringify(values) };
  return {
    url: sealed.url,
    args: sealed.args,
    missing,
    secrets: sealed.exposed.map(({ name, field }) => `${name} of ${field}`),
    values: fields,
  };
}

/** A user name and password in an address become a header, because they would be stored in plain text. */
function takeUser(url: URL, headers: Record<string, string>): string | null {
  if (url.username === "" && url.password === "") return null;
  if (Object.keys(headers).some((name) => /^authorization$/i.test(name))) {
    throw new Refusal("Its url has a user name or a password, and its headers have another one.");
  }
  try {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.Authorization = `Basic ${Buffer.from(user).toString("base64")}`;
  } catch {
    throw new Refusal("Its url has a user name or a password that is not valid.");
  }
  url.username = "";
  url.password = "";
  return headers.Authorization;
}

function toAuthentication(
  headers: Record<string, string>,
  isTokenMissing: boolean,
  areHeadersMissing: boolean,
): Record<string, string> {
  const names = Object.keys(headers);
  const [name = ""] = names;
  const token = /^Bearer +(\S+)$/i.exec(headers[name] ?? "")?.[1];
  if (names.length === 1 && /^authorization$/i.test(name) && token !== undefined) {
    return { auth_mode: "bearer", token };
  }
  if (names.length > 0) return { auth_mode: "headers", headers: JSON.stringify(headers) };
  if (isTokenMissing) return { auth_mode: "bearer" };
  // The row then needs setup, which its page says.
  return areHeadersMissing ? { auth_mode: "headers" } : {};
}

/** Pairs with a placeholder have no value here, because the client asks for it or knows it. */
function splitPairs(member: string, pairs: unknown) {
  // Without a prototype, any name is a name.
  const known: Record<string, string> = Object.create(null);
  const missing: string[] = [];
  if (pairs !== undefined && !isRecord(pairs))
    throw new Refusal(`Its ${member} are not an object.`);
  for (const [name, value] of Object.entries(pairs ?? {})) {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw new Refusal(`Its ${member} have a value that is not a text.`);
    }
    const text = String(value);
    const placeholder = findPlaceholder(text);
    if (placeholder === null) known[name] = text;
    else missing.push(`${name} (${placeholder})`);
  }
  return { known, missing };
}

function readTexts(member: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new Refusal(`Its ${member} are not a list of texts.`);
}

function readFolder(cwd: unknown, missing: string[]): string | null {
  if (typeof cwd !== "string") return null;
  if (cwd.startsWith("/") && findPlaceholder(cwd) === null) return cwd;
  missing.push(`cwd (${cwd})`);
  return null;
}

function refusePlaceholder(member: string, text: string): void {
  const placeholder = findPlaceholder(text);
  if (placeholder === null) return;
  throw new Refusal(`Its ${member} has ${placeholder}, which only the client can fill in.`);
}

const placeholders = /\$\{[\w.:-]{1,100}?(?::-[^{}]*)?\}|\{(?:env|file):[^{}\s]{1,100}\}/g;

/**
 * `${VAR}`, `${env:VAR}`, `${input:name}`, `{env:VAR}`, `{file:path}`, and `$VAR` as the last word. A
 * default after `:-` is left out: it may be a secret.
 */
function findPlaceholder(text: string): string | null {
  const name = /\$\{([\w.:-]{1,100}?)(?::-[^{}]*)?\}/.exec(text)?.[1];
  if (name !== undefined) return `\${${name}}`;
  const ofClient = /\{(?:env|file):[^{}\s]{1,100}\}/.exec(text)?.[0];
  return ofClient ?? /(?:^|\s)(\$[A-Z_][A-Z0-9_]{0,100})$/.exec(text)?.[1] ?? null;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
