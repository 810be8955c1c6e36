import { existsSync } from "node:fs";
import { join } from "node:path";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import {
  describeAbsence,
  describeKind,
  describeLimits,
} from "../../plugins/fence/describe-fence.ts";
import { createFence, type Fence, toFenceDeps } from "../../plugins/fence/fence.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

const name = "plugin fence";

/** What keeps programs of plugins and rows away from the hub. It is tried, not only looked up. */
export async function checkFence(deps: DoctorDeps): Promise<Check> {
  const fence = createFence(toFenceDeps(deps.config));
  const state = fence.findState();
  const { fault } = state;
  const needsFence = await startsPrograms(deps);
  if (fault !== null) {
    return toCheck(name, needsFence ? "fail" : "warn", `${fault}. No program starts`);
  }
  if (fence.separates()) return await tryFence(deps, fence);
  // Without programs, nothing was tried.
  return toCheck(name, needsFence ? "warn" : "unknown", describeAbsence(state));
}

async function tryFence({ config: { dataDir } }: DoctorDeps, fence: Fence): Promise<Check> {
  const kind = describeKind(fence.findState());
  const own = ["keys.json", "hub.sqlite"].map((file) => join(dataDir, file));
  const files = [...own.filter((path) => existsSync(path)), `/proc/${process.pid}/environ`];
  const fails = (reason: string) => toCheck(name, "fail", `${kind}: ${reason}`);
  try {
    const breach = await fence.probe({ files, pid: process.pid });
    if (breach === null) return fails("it was not tried");
    if (breach.files.length > 0) {
      return fails(`a program in the fence could read ${breach.files.join(", ")}`);
    }
    const tried = `a program in the fence could not read ${files.join(", ")}`;
    const signals = breach.signals
      ? ", but could send signals to the hub: Linux 6.12 prevents it"
      : ", nor send signals to the hub";
    return toCheck(name, "ok", `${kind}: ${tried}${signals}`);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return fails(`no program can be started. ${reason}`);
  }
}

/** What programs may take of the machine. */
export async function checkLimits(deps: DoctorDeps): Promise<Check> {
  const state = createFence(toFenceDeps(deps.config)).findState();
  const lacks = state.limits?.memory == null && (await startsPrograms(deps));
  return toCheck("program limits", lacks ? "warn" : "ok", describeLimits(state));
}

/** The user of this process. Empty where users have no numbers. */
export function checkUser({ config: { pluginUser } }: Pick<DoctorDeps, "config">): Check[] {
  const uid = process.getuid?.();
  if (uid === undefined) return [];
  if (uid !== 0) return [toCheck("system user", "ok", `number ${uid}`)];
  if (pluginUser !== null) {
    const message = `root, and programs of plugins and rows run as ${pluginUser} (HUB_PLUGIN_USER)`;
    return [toCheck("system user", "ok", message)];
  }
  const message =
    "The hub runs as root, so programs can change the system's files: set HUB_PLUGIN_USER, or run the hub as another user";
  return [toCheck("system user", "warn", message)];
}

async function startsPrograms({ plugins, store, registry }: DoctorDeps): Promise<boolean> {
  if ((await plugins.list()).length > 0) return true;
  const rows = await listRows(store.db);
  return rows.some(
    (row) => registry.find(row.connectorKey)?.startsProgram?.(toPlainTexts(row)) === true,
  );
}
