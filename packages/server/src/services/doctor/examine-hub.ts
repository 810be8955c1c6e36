import type { DoctorReport } from "@hub/contract/doctor.ts";
import { listStoredSettings } from "../../store/settings/settings-table.ts";
import { reportSettings } from "../../stored-settings.ts";
import {
  checkAdmins,
  checkChannels,
  checkEmbeddings,
  checkPlugins,
  checkRows,
} from "./check-contents.ts";
import { checkFence, checkLimits } from "./check-fence.ts";
import { checkKeys, checkMasking } from "./check-keys.ts";
import { checkMarks } from "./check-marks.ts";
import { checkProxies } from "./check-proxies.ts";
import { checkInstances, checkServers, checkVersion } from "./check-servers.ts";
import { checkAudit, checkBackup, checkDatabase, checkDisk, checkFolder } from "./check-storage.ts";
import { type DoctorDeps, toCheck } from "./doctor-check.ts";

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
    await checkFence(deps),
    await checkLimits(deps),
    await checkRows(deps),
    ...(await checkChannels(deps)),
    await checkInstances(deps),
    ...warnings.map((message) => toCheck("environment", "warn", message)),
  ];
  return {
    ok: checks.every((check) => check.status !== "fail"),
    checks,
    settings: reportSettings(deps.config, await listStoredSettings(deps.store.db)),
  };
}
