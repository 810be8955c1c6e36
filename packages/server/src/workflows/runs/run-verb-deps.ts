import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Store } from "../../store/store.ts";
import type { OpenWorkflows } from "../workflows.ts";

/** The dependencies of the verbs on runs. */
export type RunVerbDeps = {
  store: Store;
  ring: Pick<RingHolder, "current">;
  openWorkflows: OpenWorkflows;
};
