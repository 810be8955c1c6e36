import { startCommandProcess } from "./command-process.ts";
import { createDataFolder } from "./data-folder.ts";
import type { MistakeBench } from "./mistakes/make-mistake.ts";
import { startHub } from "./start-hub.ts";

/** A hub for mistakes, which ends with `owned`. */
export async function openMistakeBench(owned: AsyncDisposableStack): Promise<MistakeBench> {
  const hub = owned.use(await startHub({ isHere: true }));
  const folder = owned.use(await createDataFolder()).path;
  const commands = owned.use(startCommandProcess({ dataDir: hub.dataDir }));
  const { token: userToken } = await hub.addUser("ada@example.com");
  return { hub, folder, commands, userToken };
}
