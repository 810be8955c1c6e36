import { listMarks, type ServingMark } from "../../lib/files/serving-marks.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

const shownMax = 20;

/** The settings of the servers that run with this data folder, where they differ from those of this command. */
export async function checkMarks({ config }: DoctorDeps): Promise<Check[]> {
  const marks = await listMarks(config.dataDir);
  // A server that is asked over the API has its own settings.
  const others = marks.filter(({ pid }) => pid !== process.pid);
  return others.map((mark) => toCheck("server settings", "ok", describeMark(config, mark)));
}

function describeMark({ settings }: DoctorDeps["config"], mark: ServingMark): string {
  const differences = settings.flatMap(({ name, value }) => {
    const served = mark.settings[name];
    if (served === undefined || served === value) return [];
    return [`${name} ${served ?? "unset"} (here ${value ?? "unset"})`];
  });
  const server = `process ${mark.pid} serves ${mark.database} at ${mark.url} since ${mark.since}, and began with the key ${mark.key_id}`;
  if (differences.length === 0) return `${server}. Its settings are those of this command`;
  const more = differences.length - shownMax;
  const rest = more > 0 ? ` and ${more} more` : "";
  return `${server}. Its settings that differ from those of this command: ${differences.slice(0, shownMax).join(", ")}${rest}`;
}
