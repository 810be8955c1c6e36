import type { DoctorCheck, DoctorReport } from "@hub/contract/doctor.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { listStoredSettings } from "../../store/settings/settings-table.ts";
import { reportSettings } from "../../stored-settings.ts";
import { checkAccounts } from "./check-accounts.ts";
import {
  checkAdmins,
  checkChannels,
  checkEmbeddings,
  checkPlugins,
  checkRows,
} from "./check-contents.ts";
import { checkFence, checkLimits, checkUser } from "./check-fence.ts";
import { checkKeys, checkMasking } from "./check-keys.ts";
import { checkMarks } from "./check-marks.ts";
import { checkProxies } from "./check-proxies.ts";
import { checkRules } from "./check-rules.ts";
import { checkInstances, checkServers, checkVersion } from "./check-servers.ts";
import {
  checkAudit,
  checkBackup,
  checkDatabase,
  checkDisk,
  checkFolder,
  findKnownDamage,
} from "./check-storage.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

/** Checks everything that the hub needs to work. Changes nothing. */
export async function examineHub(
  deps: DoctorDeps,
  { warnings = [] }: { warnings?: readonly string[] } = {},
): Promise<DoctorReport> {
  const checks = [
    await checkVersion(),
    await checkFolder(deps),
    await checkDatabase(deps),
    await checkDisk(deps),
    await checkBackup(deps),
    await checkAudit(deps),
    await checkKeys(deps),
    checkMasking(deps),
    ...(await checkEmbeddings(deps)),
    ...(await checkServers(deps)),
    ...(await checkProxies(deps)),
    ...(await checkMarks(deps)),
    await checkAdmins(deps),
    await checkPlugins(deps),
    ...checkUser(deps),
    await checkFence(deps),
    await checkLimits(deps),
    await checkRows(deps),
    ...(await checkChannels(deps)),
    ...(await checkRules(deps)),
    ...(await checkAccounts(deps)),
    await checkInstances(deps),
    ...warnings.map((message) => toCheck("environment", "warn", message)),
  ];
  return {
    ok: checks.every((check) => check.status !== "fail"),
    checks: checks.map((check) => presentCheck(check, deps.now())),
    settings: reportSettings(deps.config, await listStoredSettings(deps.store.db)),
  };
}

function presentCheck({ name, status, message, seenAt }: Check, at: number): DoctorCheck {
  return {
    name,
    status,
    message,
    checked_at: status === "unknown" ? null : toTimeText(seenAt ?? at),
  };
}

/**
 * The checks that read a few settings and files only, so that pages can ask for them each minute. What they leave out, such
 * as the fence, is tried by `examineHub`.
 */
export async function examineQuickly(deps: DoctorDeps): Promise<Check[]> {
  return [
    ...findKnownDamage(deps),
    await checkFolder(deps),
    await checkDisk(deps),
    await checkBackup(deps),
    checkMasking(deps),
    ...(await checkProxies(deps)),
    ...checkUser(deps),
    await checkInstances(deps),
  ];
}
