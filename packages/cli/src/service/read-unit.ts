/** What a unit of systemd says about the settings of its program. */
export type UnitSettings = {
  /** Of its own lines. The files come after them. */
  env: Record<string, string>;
  files: ReadonlyArray<{ path: string; isOptional: boolean }>;
  /** Whether systemd makes up a user for the time of the service. */
  hasDynamicUser: boolean;
};

/** Reads the lines `Environment`, `EnvironmentFile` and `DynamicUser`. An empty one of the first two forgets those before it. */
export function readUnit(text: string): UnitSettings {
  let env: Record<string, string> = {};
  let files: UnitSettings["files"] = [];
  let hasDynamicUser = false;
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const [, name, value = ""] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === "Environment") {
      env = value === "" ? {} : { ...env, ...toVariables(splitWords(value)) };
    } else if (name === "EnvironmentFile") {
      files = value === "" ? [] : [...files, toFile(value)];
    } else if (name === "DynamicUser") {
      hasDynamicUser = /^(?:yes|true|on|1)$/i.test(value);
    }
  }
  return { env, files, hasDynamicUser };
}

function toFile(value: string) {
  const isOptional = value.startsWith("-");
  return { path: isOptional ? value.slice(1) : value, isOptional };
}

/** systemd replaces `%%` by `%`. Its other specifiers are left as they are. */
function toVariables(words: readonly string[]): Record<string, string> {
  const pairs = words.flatMap((word) => {
    const at = word.indexOf("=");
    return at < 1 ? [] : [[word.slice(0, at), word.slice(at + 1).replaceAll("%%", "%")] as const];
  });
  return Object.fromEntries(pairs);
}

/** The words of a line, with quotes and backslashes resolved. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\" && at + 1 < text.length) {
      at += 1;
      word = (word ?? "") + text.charAt(at);
    } else if (quote === "" && (char === '"' || char === "'")) {
      quote = char;
      word ??= "";
    } else if (char === quote && quote !== "") {
      quote = "";
    } else if (quote === "" && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + char;
    }
  }
  return word === null ? words : [...words, word];
}
