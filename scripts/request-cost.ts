/**
 * Checks what callers can make the hub do. Every door (tool, route, page, form, webhook, channel, frame, file of
 * the command line, answer of an outside system) gets inputs of every kind whose size a caller chooses, from
 * 1 KiB to the limit, and `request-cost/law.ts` says what each may cost:
 * `bun scripts/request-cost.ts [--hub FOLDER] [--groups a,b] [--only NAME] [--attack NAME] [--kinds a,b] [--shapes N] [--list]`.
 * FOLDER is a checkout to measure, by default this one. `--only` is a regular expression for names of doors,
 * `--attack` one for those of attacks. `--shapes 3` tries a third of the attacks. The exit code is 1 if
 * a door exceeds the law, or if `request-cost/cases` has no case for a tool or route of the hub. Linux only.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listMissing } from "./request-cost/cases/list-missing.ts";
import { routeCases } from "./request-cost/cases/route-cases.ts";
import { toolCases } from "./request-cost/cases/tool-cases.ts";
import { kinds } from "./request-cost/door.ts";
import { groupNames, openDoors } from "./request-cost/list-doors.ts";
import { listHubRoutes, listHubTools } from "./request-cost/list-hub.ts";
import { type Fault, measureDoor, measureIdle } from "./request-cost/measure-door.ts";
import { createMeter } from "./request-cost/meter.ts";
import { openCostFixture } from "./request-cost/open-cost-fixture.ts";
import { openPoller } from "./request-cost/open-poller.ts";
import { listGaps, printDoor, printFaults } from "./request-cost/print-results.ts";

const { values: flags } = parseArgs({
  options: {
    hub: { type: "string" },
    groups: { type: "string", default: groupNames.join() },
    only: { type: "string", default: "" },
    attack: { type: "string", default: "" },
    kinds: { type: "string", default: kinds.join() },
    shapes: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
  },
});
const folder = resolve(flags.hub ?? join(import.meta.dirname, ".."));
const every = Number(flags.shapes);
const wantedKinds = flags.kinds.split(",");

const groups = flags.groups.split(",");
const hasPeople = groups.some((name) => ["forms", "pages", "api"].includes(name));

await using fixture = await openCostFixture(join(folder, "packages/cli/src/hub.ts"), hasPeople);
const { hub } = fixture;
const missing = [
  ...listMissing("The tool", await listHubTools(fixture), toolCases),
  ...listMissing("The route", await listHubRoutes(fixture), routeCases),
];
// An older hub may not have every tool and route.
for (const one of missing) console.log(flags.hub === undefined ? `MISSING ${one}` : one);

const all = await openDoors(fixture, groups);
const doors = all.filter(({ name }) => new RegExp(flags.only).test(name));
for (const gap of listGaps(all)) console.log(`(${gap})`);

const { pid } = hub;
using health = openPoller({ url: `${hub.url}/health`, pid, pauseMs: 10 });
using other = openPoller(fixture.otherCall(pid));
const idle = await measureIdle({ meter: createMeter(pid), health, other });
console.log(
  `${doors.length} doors of ${folder}; an idle /health waits ${idle.waitMs.toFixed(1)} ms`,
);

const isWanted = new RegExp(flags.attack);
const faults: Fault[] = [];
let attackCount = 0;
for (const door of doors) {
  const attacks = Object.entries(door.attacks)
    .filter(([name, { kind }]) => wantedKinds.includes(kind) && isWanted.test(name))
    .filter(([name]) => Number(Bun.hash.crc32(`${door.name}, ${name}`)) % every === 0);
  attackCount += attacks.length;
  if (flags.list)
    for (const [name, { kind }] of attacks) console.log(`${door.name} | ${kind} | ${name}`);
  if (flags.list || attacks.length === 0) continue;
  const meter = createMeter(door.pid?.() ?? pid);
  const result = await measureDoor({ meter, health, other, idle }, door, attacks);
  printDoor(door, result);
  faults.push(...result.faults);
}
printFaults(faults);
console.log(`${attackCount} attacks on ${doors.length} doors; over the law: ${faults.length}`);
process.exitCode = faults.length === 0 && (missing.length === 0 || flags.hub !== undefined) ? 0 : 1;
