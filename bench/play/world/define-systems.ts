import type { ConnectorDefinition } from "@hub/connector";
import type { World } from "./records.ts";
import { defineBilling, defineCrm, defineShop, defineStock } from "./trade-systems.ts";
import {
  defineCalendar,
  defineLogs,
  definePeople,
  defineStatus,
  defineTracker,
} from "./work-systems.ts";

export function defineSystems(world: World): ConnectorDefinition[] {
  return [
    defineTracker(world),
    defineCrm(world),
    defineShop(world),
    defineStock(world),
    definePeople(world),
    defineCalendar(world),
    defineStatus(world),
    defineLogs(),
    defineBilling(world),
  ];
}
