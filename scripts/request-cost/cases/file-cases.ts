import type { CostFixture } from "../open-cost-fixture.ts";

export type FileCase = {
  /** The arguments of the command. `FILE` is the file; without it, the text is standard input. */
  args(fixture: Pick<CostFixture, "ids" | "openapiRow">): string[];
  bytesMax?: number;
  /** Valid documents around a part. */
  wrap?: Record<string, (part: unknown) => unknown>;
};

const toBody = (value: unknown) => ({
  triggers: [{ id: "start", type: "manual", entry: "one" }],
  nodes: [{ id: "one", type: "set", value }],
});
const toServers = (part: unknown) => ({ mcpServers: { one: { command: "x", args: part } } });
const toDocument = (paths: unknown) => ({
  openapi: "3.1.0",
  info: { title: "Cost", version: "1" },
  paths,
});

/** The commands that read a file or a text on standard input, by their headings in the reference. */
export const fileCases: Record<string, FileCase> = {
  "apply FILE": {
    args: () => ["apply", "FILE", "--dry-run"],
    wrap: {
      settings: (part) => ({ hub_file: 1, settings: part }),
      users: (part) => ({ hub_file: 1, users: part }),
      values: (part) => ({
        hub_file: 1,
        rows: [{ connector: "http", label: "x", values: { base_url: part } }],
      }),
    },
  },
  "bridge import FILE": {
    args: () => ["bridge", "import", "FILE", "--dry-run"],
    wrap: { args: toServers, servers: (part) => ({ mcpServers: part }) },
  },
  "bridge discover ROW --document FILE": {
    args: ({ openapiRow }) => ["bridge", "discover", openapiRow, "--document", "FILE"],
    wrap: { paths: toDocument },
  },
  "bridge servers ROW --document FILE": {
    args: ({ openapiRow }) => ["bridge", "servers", openapiRow, "--document", "FILE"],
    wrap: { servers: (part) => ({ ...toDocument({}), servers: part }) },
  },
  "workflow new NAME --file FILE": {
    args: () => ["workflow", "new", "Cost", "--file", "FILE"],
    wrap: { value: toBody },
  },
  "workflow edit WORKFLOW --file FILE": {
    args: ({ ids }) => ["workflow", "edit", ids.workflow, "--file", "FILE"],
    wrap: { value: toBody },
  },
  "workflow import FILE": {
    args: () => ["workflow", "import", "FILE"],
    wrap: {
      body: (part) => ({ format: "hub-workflow", name: "Cost", run_by: "tags", body: part }),
    },
  },
  "workflow validate --file FILE": {
    args: () => ["workflow", "validate", "--file", "FILE"],
    wrap: { value: toBody, whole: (part) => part },
  },
  "workflow run WORKFLOW --payload FILE": {
    args: ({ ids }) => ["workflow", "run", ids.workflow, "--payload", "@FILE"],
    wrap: { payload: (part) => ({ part }) },
  },
  "encrypt (standard input)": { args: () => ["encrypt"], bytesMax: 1024 * 1024 },
  "restore FILE": { args: () => ["restore", "FILE"] },
};
