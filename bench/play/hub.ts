// A hub with the systems that tasks are about, and a connector for each service of a corpus (HUB_PLAY_CORPUS).
import { runHub } from "../../packages/cli/src/run-hub.ts";
import { readCorpus } from "../discovery/corpus-file.ts";
import { toConnectors } from "../discovery/engines/hub.ts";
import { defineSystems } from "./world/define-systems.ts";
import { createWorld } from "./world/world.ts";

const corpus = process.env.HUB_PLAY_CORPUS ?? "";
const others = corpus === "" ? [] : await toConnectors(await readCorpus(corpus));
await runHub({
  connectors: [...defineSystems(createWorld()), ...others.map(({ definition }) => definition)],
});
