import { anyHubTokenKind } from "@hub/contract/hub-token-kinds.ts";

/** What of a row is stored in plain text: its address and the arguments of its program. */
export type PlainParts = { url: string; args: readonly string[] };

/** A part of it that is likely a secret. */
export type ExposedSecret = {
  field: "url" | "args";
  /** The name under which it can be kept, such as `API_KEY`. */
  name: string;
  value: string;
};

export type SealedParts = PlainParts & { exposed: ExposedSecret[] };

const words =
  "token|secret|password|passwd|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|client[-_]?key|auth[-_]?key|license[-_]?key|credentials?|bearer|pat";
const secretName = new RegExp(`(?:^|[-_.])(?:[a-z0-9]*(?:${words}))$`, "i");
const secretParam = new RegExp(`^(?:key|auth|sig|signature|code)$|${secretName.source}`, "i");
const headerValue =
  /^((?:proxy-)?authorization|cookie|[\w-]{0,40}(?:token|api-?key|secret|auth)[\w-]{0,40})(\s*:\s*)((?:bearer|basic|token)\s+)?(\S.*)$/i;

/** Tokens of services that are known by how they begin, JSON Web Tokens, and bearer tokens. */
const tokenShape = new RegExp(
  String.raw`(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{16,500}|gh[opsur]_[A-Za-z0-9]{20,300}|github_pat_[A-Za-z0-9_]{20,300}|glpat-[A-Za-z0-9_-]{15,300}|xox[abeoprs]-[A-Za-z0-9-]{10,300}|xapp-[A-Za-z0-9-]{10,300}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,60}|hub_(?:${anyHubTokenKind})_\w{16,300}|npm_[A-Za-z0-9]{30,60}|pypi-[A-Za-z0-9_-]{30,500}|hf_[A-Za-z0-9]{20,60}|(?:sk|rk|pk)_live_[A-Za-z0-9]{16,300}|lin_api_[A-Za-z0-9]{20,100}|ntn_[A-Za-z0-9]{20,100}|eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000})`,
);

const reference = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;
/** Shorter values are words such as "none", which would be masked everywhere. */
const charsMin = 6;
const charsMax = 8192;
/** All arguments of a program that are searched. */
const allCharsMax = 64 * 1024;

/**
 * Finds what is likely a secret in an address and in arguments, and puts `${NAME}` in its place. `used`
 * are names that are taken. It misses secrets that look like other words: a person reads the texts too.
 */
export function findExposedSecrets(
  { url, args }: PlainParts,
  used: Iterable<string> = [],
): SealedParts {
  const names = new Set(used);
  const exposed: ExposedSecret[] = [];
  const known = new Map<string, string>();
  let remaining = allCharsMax;

  function keep(field: "url" | "args", wanted: string, value: string): string {
    const same = known.get(value);
    if (same !== undefined) return `\${${same}}`;
    const name = chooseName(wanted, names);
    names.add(name);
    known.set(value, name);
    exposed.push({ field, name, value });
    return `\${${name}}`;
  }

  function sealArgument(arg: string, before: string | undefined): string {
    remaining -= arg.length;
    if (reference.test(arg) || arg.length > charsMax || remaining < 0) return arg;
    const flag = /^--?([A-Za-z][\w-]*)$/.exec(before ?? "")?.[1];
    if (flag !== undefined && secretName.test(flag) && !arg.startsWith("-") && isLong(arg)) {
      return keep("args", flag, arg);
    }
    const [, start = "", name = "", value = ""] =
      /^((?:--?)?([A-Za-z_][\w.-]*)=)(.*)$/s.exec(arg) ?? [];
    if (secretName.test(name) && isLong(value)) return start + keep("args", name, value);
    const [, header = "", colon = "", scheme = "", credential = ""] =
      (arg.lastIndexOf(":", 100) > 0 ? headerValue.exec(arg) : null) ?? [];
    if (isLong(credential)) return header + colon + scheme + keep("args", header, credential);
    // The password of a database's address, and the query of any.
    const sealed = arg.replace(
      /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,200}:)([^\s/@]{1,500})(?=@)/i,
      (_, address: string, password: string) => address + keep("args", "PASSWORD", password),
    );
    return sealTokens(
      "args",
      /^(?:[^=]{1,100}=)?https?:\/\//i.test(arg) ? sealQuery("args", sealed, (raw) => raw) : sealed,
    );
  }

  function sealTokens(field: "url" | "args", text: string): string {
    return text.replace(tokenShape, (value) => keep(field, "TOKEN", value));
  }

  function sealQuery(field: "url" | "args", text: string, decode: (raw: string) => string): string {
    return text.replace(
      /([?&])([^=&#?]{1,100})=([^&#]+)/g,
      (all, mark: string, param: string, raw: string) => {
        if (reference.test(raw) || !secretParam.test(param) || !isLong(raw)) return all;
        return `${mark}${param}=${keep(field, param, decode(raw))}`;
      },
    );
  }

  function sealAddress(address: string): string {
    if (address.length > charsMax) return address;
    const queried = sealQuery("url", address, decodePart);
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(queried)?.[0] ?? "";
    // Some services give an address with a long random part, which is its password.
    const path = queried
      .slice(origin.length)
      .replace(/(?<=\/)[A-Za-z0-9_-]{32,}(?=[/?#]|$)/g, (part) =>
        /\d/.test(part) && /[A-Za-z]/.test(part) ? keep("url", "PATH_KEY", part) : part,
      );
    return origin + sealTokens("url", path);
  }

  const sealedUrl = sealAddress(url);
  const sealedArgs = args.map((arg, at) => sealArgument(arg, args[at - 1]));
  return { url: sealedUrl, args: sealedArgs, exposed };
}

/** A name of a variable that is not taken. */
export function chooseName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = wanted
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "")
    .slice(0, 50);
  const name = plain === "" ? "SECRET" : plain;
  for (let at = 1; ; at += 1) {
    const chosen = at === 1 ? name : `${name}_${at}`;
    if (!taken.has(chosen)) return chosen;
  }
}

function isLong(value: string): boolean {
  return value.length >= charsMin;
}

function decodePart(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch {
    return raw;
  }
}
