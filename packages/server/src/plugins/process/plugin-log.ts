import { randomBytes, randomUUID } from "node:crypto";
import { createLineBudget } from "../../lib/logs/line-budget.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { TooManySecretsError } from "../../secrets/masks/limit-seals.ts";
import { createMask, type Mask } from "../../secrets/masks/mask.ts";
import { createLastLines } from "./last-lines.ts";

type Level = "debug" | "info" | "warn" | "error";

/** The hub's log, as far as plugins need it. */
export type Log = Record<Level, (fields: object, message: string) => void>;

/** Writes a plugin's output to the hub's log, with the plugin's name and without secrets. */
export type PluginLog = {
  writeLine(line: string): void;
  /** Adds the secrets of a call, which lines may contain. */
  addSecrets(texts: Iterable<string>): void;
  /** The last lines of standard error, without secrets: see `LastLines`. */
  readLastLines(): string;
  /** The same as `writeLine`, and keeps the line for `readLastLines`. */
  writeErrorLine(line: string): void;
};

/** Levels of hclog and of other libraries that write JSON lines. */
const levels: Record<string, Level> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  fatal: "error",
};

/** Older secrets are dropped, because every call may add new ones. */
const secretsMax = 1000;

/** The key of these tokens is random, so the log replaces each by `[secret]`. */
const token = /hub_enc_[A-Za-z0-9_-]+/g;

type PluginLogDeps = { log: Log; timers: Pick<Timers, "now"> };

export function createPluginLog(deps: PluginLogDeps, pluginKey: string): PluginLog {
  return createProgramLog(deps, { plugin: pluginKey });
}

/** The same for any program; `source` are the fields that name it. */
export function createProgramLog(
  { log, timers }: PluginLogDeps,
  source: Record<string, string>,
): PluginLog {
  // All its lines are of one kind, so that it cannot use up the kinds of the hub's own lines.
  const budget = createLineBudget({ timers });
  const ring = createKeyRing([randomBytes(32)]);
  const userId = randomUUID();
  const createLogMask = () => createMask({ ring, userId, enabled: true });
  let masks: [Mask, Mask] = [createLogMask(), createLogMask()];
  let known = new Set<string>();
  const sealText = (text: string) =>
    masks.reduce((sealed, mask) => mask.sealText(sealed), text).replace(token, "[secret]");
  const last = createLastLines();
  const sealDetails = (value: unknown): unknown => {
    const sealed = masks.reduce((details, mask) => mask.sealJson(details), value);
    // Tokens contain no characters that JSON escapes.
    return JSON.parse(JSON.stringify(sealed).replace(token, "[secret]"));
  };
  function writeLine(line: string): void {
    if (line.trim() === "") return;
    // Before the line is masked, which costs most.
    const { isAllowed, note } = budget.take("output");
    if (note !== null) log.warn(source, note);
    if (!isAllowed) return;
    try {
      writeSealed(line);
    } catch (thrown) {
      if (!(thrown instanceof TooManySecretsError)) throw thrown;
      log.warn(source, "A line contained secrets in too many forms and was omitted.");
    }
  }

  return {
    addSecrets(texts) {
      for (const text of texts) {
        if (known.has(text)) continue;
        if (known.size >= secretsMax) {
          masks = [createLogMask(), masks[0]];
          known = new Set();
        }
        known.add(text);
        masks[0].addSecret(text);
      }
    },
    writeLine,
    writeErrorLine(line) {
      last.add(findJsonLine(line)?.message ?? line);
      writeLine(line);
    },
    readLastLines() {
      try {
        return last.read(sealText);
      } catch (thrown) {
        if (thrown instanceof TooManySecretsError) return "";
        throw thrown;
      }
    },
  };

  function writeSealed(line: string): void {
    const parsed = findJsonLine(line);
    if (parsed === null) {
      log.info(source, sealText(line));
      return;
    }
    const { level, message, details } = parsed;
    const fields = { ...source, ...(details && { details: sealDetails(details) }) };
    log[level](fields, sealText(message));
  }
}

type LogLine = { level: Level; message: string; details: Record<string, unknown> | null };

/** Parses a line of hclog: `@level`, `@message`, `@timestamp` and further members. */
function findJsonLine(line: string): LogLine | null {
  if (!line.startsWith("{")) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const {
    "@level": level,
    "@message": message,
    "@timestamp": _,
    ...details
  } = { "@level": undefined, "@message": undefined, "@timestamp": undefined, ...value };
  if (typeof message !== "string") return null;
  return {
    level: (typeof level === "string" ? levels[level] : undefined) ?? "info",
    message,
    details: Object.keys(details).length > 0 ? details : null,
  };
}
