/**
 * Floods a hub on a small disk, each flood with a hub of its own, beside a user who makes calls and reads:
 * `bun scripts/disk-floods.ts [--only TEXT] [--seconds N] [--disk MIB] [--floor MIB]`.
 * Prints what each flood wrote and what that is in a day, and how many calls of the user were refused for lack of space.
 * The exit code is 1 if something else failed: another refusal, a failed read, less space than the floor, an error of the
 * disk in the log, a hub that ended or did not go on when there was space. Root on Linux only, about four minutes.
 */
import { parseArgs } from "node:util";
import { floods } from "./disk-floods/floods.ts";
import { canMount } from "./disk-floods/small-disk.ts";
import { tryFlood } from "./disk-floods/try-flood.ts";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "20" },
    disk: { type: "string", default: "384" },
    floor: { type: "string", default: "64" },
  },
});
if (!canMount) {
  console.error("Only root can mount a small disk, and only on Linux.");
  process.exit(2);
}
const options = {
  seconds: Number(flags.seconds),
  diskMiB: Number(flags.disk),
  floorMiB: Number(flags.floor),
};

let failures = 0;
for (const flood of floods.filter(({ name }) => name.includes(flags.only))) {
  const { writtenMiB, seconds, leastFreeMiB, refusals, stored, calls, faults } = await tryFlood(
    flood,
    options,
  );
  const dayGiB = (writtenMiB / 1024 / seconds) * 86_400;
  failures += faults.length;
  console.log(
    [
      `${faults.length === 0 ? "ok  " : "FAIL"}  ${flood.name}: wrote ${writtenMiB.toFixed(1)} MiB in ${seconds} s`,
      `${dayGiB.toFixed(1)} GiB a day at this rate`,
      `${stored} ${flood.stores} stored`,
      `${refusals} of its requests refused`,
      `at least ${leastFreeMiB.toFixed(0)} MiB free`,
      `${calls.refusedForSpace} of ${calls.made} calls of another user refused for space`,
    ].join(", "),
  );
  for (const fault of faults) console.log(`      ${fault}`);
}
process.exit(failures === 0 ? 0 : 1);
