import type { DiscoveryReport } from "@hub/contract/row-discovery.ts";
import type { RowReview } from "@hub/server/services/rows/discovery/review-operations.ts";
import type { RunningHub } from "../start-hub.ts";

type NewRow = { connector: "http" | "mcp" | "openapi"; label: string; tags?: string[] };

/** An admin of rows that bring their operations, over the management API. */
export type BridgeAdmin = {
  /** The JSON of the answer. Throws an error with status and answer if it is no success. */
  send<T>(method: string, path: string, body?: object): Promise<T>;
  addRow(row: NewRow, values: Record<string, string>): Promise<string>;
  /** A row that starts this script with this Bun. The command line makes it; a token could not. */
  addProgram(row: Omit<NewRow, "connector">, script: string, ...args: string[]): Promise<string>;
  discover(rowId: string): Promise<DiscoveryReport>;
  /** Approves what the latest discovery found. */
  approve(rowId: string): Promise<void>;
  review(rowId: string): Promise<RowReview>;
};

export async function openBridgeAdmin(
  hub: Pick<RunningHub, "url" | "makeManageToken" | "cli">,
): Promise<BridgeAdmin> {
  const token = await hub.makeManageToken();

  async function send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${hub.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    return answer as T;
  }

  const review = (rowId: string) => send<RowReview>("GET", `/manager/api/rows/${rowId}/review`);
  return {
    send,
    async addRow(row, values) {
      return (await send<{ id: string }>("POST", "/manager/api/rows", { ...row, values })).id;
    },
    async addProgram({ label, tags = [] }, script, ...args) {
      const list = JSON.stringify([script, ...args].map((value) => ({ value })));
      const added = await hub.cli(
        ...["row", "add", "mcp", "--label", label, "--set", "transport=stdio"],
        ...["--set", `command=${process.execPath}`, "--set", `args=${list}`, "--json"],
        ...tags.flatMap((tag) => ["--tag", tag]),
      );
      return added.json<{ id: string }>().id;
    },
    discover: (rowId) => send("POST", `/manager/api/rows/${rowId}/discover`, {}),
    async approve(rowId) {
      const { stamp } = await review(rowId);
      await send("POST", `/manager/api/rows/${rowId}/approve`, { stamp });
    },
    review,
  };
}
