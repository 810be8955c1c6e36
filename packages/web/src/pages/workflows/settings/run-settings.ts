/** The settings of a body as a form has them: texts, and names with values. */
export type RunSettings = {
  policy: string;
  runsAtOnce: string;
  waitingMax: string;
  timeoutS: string;
  severity: string;
  env: ReadonlyArray<{ name: string; value: string }>;
};

const defaults = {
  policy: "parallel",
  runsAtOnce: "8",
  waitingMax: "1000",
  timeoutS: "600",
  severity: "error",
  env: [],
} satisfies RunSettings;

/** Reads the settings of a draft, which may have errors. What is not set has its default. */
export function readRunSettings(body: unknown): RunSettings {
  const { queue, timeout_s: timeout, severity, env } = Object(Object(body).settings);
  const { policy, runs_at_once: runsAtOnce, waiting_max: waitingMax } = Object(queue);
  const toText = (value: unknown, other: string) =>
    value === undefined || value === null ? other : String(value);
  return {
    policy: toText(policy, defaults.policy),
    runsAtOnce: toText(runsAtOnce, defaults.runsAtOnce),
    waitingMax: toText(waitingMax, defaults.waitingMax),
    timeoutS: toText(timeout, defaults.timeoutS),
    severity: toText(severity, defaults.severity),
    env: Object.entries(Object(env)).map(([name, value]) => ({ name, value: String(value) })),
  };
}

/**
 * The body with what was changed in the form. Everything else stays as it is, so that a change of the
 * draft by others is kept.
 */
export function applyRunSettings(body: unknown, edit: Partial<RunSettings>): object {
  const given: Record<string, unknown> = { ...Object(body) };
  const settings: Record<string, unknown> = { ...Object(given.settings) };
  const queue: Record<string, unknown> = { ...Object(settings.queue) };
  if (edit.policy !== undefined) queue.policy = edit.policy;
  if (edit.runsAtOnce !== undefined) queue.runs_at_once = toNumber(edit.runsAtOnce);
  if (edit.waitingMax !== undefined) queue.waiting_max = toNumber(edit.waitingMax);
  if (Object.keys(queue).length > 0) settings.queue = queue;
  if (edit.timeoutS !== undefined) settings.timeout_s = toNumber(edit.timeoutS);
  if (edit.severity !== undefined) settings.severity = edit.severity;
  if (edit.env !== undefined) {
    settings.env = Object.fromEntries(
      edit.env.filter(({ name }) => name !== "").map(({ name, value }) => [name, value]),
    );
  }
  return { ...given, settings };
}

/** A text that is no number stays a text, and the validation says so. */
function toNumber(text: string): number | string {
  const trimmed = text.trim();
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed;
}
