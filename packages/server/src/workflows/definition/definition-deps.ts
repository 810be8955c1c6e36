import type { Config } from "../../config.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Store } from "../../store/store.ts";
import type { ChatKinds } from "../channels/chat-kinds.ts";
import type { CodeRunner } from "../code/run-code.ts";

/** The dependencies of the verbs on the definitions of workflows. */
export type DefinitionDeps = {
  store: Store;
  ring: RingHolder;
  registry: Pick<ConnectorRegistry, "find" | "loadOperations">;
  config: Pick<Config, "workflowAuthors" | "workflowHttp">;
  now: () => number;
  chats: ChatKinds;
  /** Without it, the sources of code nodes are not checked. */
  codeRunner?: Pick<CodeRunner, "openCheck">;
};
