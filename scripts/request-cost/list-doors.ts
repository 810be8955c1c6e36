import type { Door } from "./door.ts";
import { openAnswerDoors } from "./doors/answer-doors.ts";
import { listApiDoors } from "./doors/api-doors.ts";
import { openChannelDoors } from "./doors/channel-doors.ts";
import { listFileDoors } from "./doors/file-doors.ts";
import { listFormDoors } from "./doors/form-doors.ts";
import { openPageDoors } from "./doors/page-doors.ts";
import { openScimDoors } from "./doors/scim-doors.ts";
import { openStdioDoors } from "./doors/stdio-doors.ts";
import { listToolDoors } from "./doors/tool-doors.ts";
import { openWebhookDoors } from "./doors/webhook-doors.ts";
import type { CostFixture } from "./open-cost-fixture.ts";

type Group = (fixture: CostFixture) => Door[] | Promise<Door[]>;

/** The doors of the hub by group. A group is opened only if it is measured. */
const groups: Record<string, Group> = {
  tools: listToolDoors,
  webhooks: openWebhookDoors,
  channels: openChannelDoors,
  scim: openScimDoors,
  answers: openAnswerDoors,
  stdio: openStdioDoors,
  forms: listFormDoors,
  pages: openPageDoors,
  files: listFileDoors,
  api: listApiDoors,
};

export const groupNames = Object.keys(groups);

/** Lists the doors of these groups. Those that delete their targets come last. */
export async function openDoors(fixture: CostFixture, wanted: readonly string[]): Promise<Door[]> {
  const doors: Door[] = [];
  for (const name of wanted) {
    const open = groups[name];
    if (open === undefined) throw new Error(`There is no group ${name}: ${groupNames.join(", ")}`);
    doors.push(...(await open(fixture)));
  }
  return [...doors.filter(({ isEnd }) => !isEnd), ...doors.filter(({ isEnd }) => isEnd)];
}
