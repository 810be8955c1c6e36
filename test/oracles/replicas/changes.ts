import { readMessage, readOutcome } from "../../support/mixed-calls.ts";
import { postRpc, toToolCall } from "../../support/rpc.ts";
import type { Replicas } from "./replicas.ts";

export type ChangeReport = {
  /** Changes that the hub confirmed. */
  changes: number;
  /** Calls that followed a confirmed change and obeyed it. */
  obeyed: number;
  /** Calls that did not obey it. */
  late: string[];
};

type Change = {
  name: string;
  path: string;
  method: "POST" | "PATCH";
  body: unknown;
  /** The outcome of the user's next call. */
  expected: "refused" | "not_found" | "connector_disabled" | "success";
};

type ChangeContext = {
  replicas: Replicas;
  /** Of an admin. */
  manageToken: string;
  /** A row with the tag `changed`, which no other client calls. */
  rowId: string;
  /** A user with the tag `changed`. */
  user: { id: string; token: string };
  isStopped(): boolean;
};

/**
 * Makes one change after another through the balancer. After each, the user calls every server, also
 * a paused one, whose answer comes when it goes on.
 */
export async function makeChanges(ctx: ChangeContext): Promise<ChangeReport> {
  const report: ChangeReport = { changes: 0, obeyed: 0, late: [] };
  const changes = listChanges(ctx);
  for (let round = 0; !ctx.isStopped(); round += 1) {
    const change = changes[round % changes.length];
    if (change === undefined || !(await makeUntilConfirmed(ctx, change))) continue;
    report.changes += 1;
    const found = await Promise.all(
      ctx.replicas.all.map(({ port }) => callAsUser(ctx, `http://127.0.0.1:${port}`)),
    );
    for (const outcome of found) {
      if (outcome === null) continue;
      if (outcome === change.expected) report.obeyed += 1;
      else report.late.push(`after "${change.name}": ${outcome}`);
    }
  }
  return report;
}

function listChanges({ rowId, user }: ChangeContext): Change[] {
  const ofUser = `/admin/api/users/${user.id}`;
  const ofRow = `/manager/api/rows/${rowId}`;
  const change = (
    name: string,
    path: string,
    expected: Change["expected"],
    body: unknown = null,
  ): Change => ({ name, path, method: body === null ? "POST" : "PATCH", body, expected });
  return [
    change("disable the user", `${ofUser}/disable`, "refused"),
    change("enable the user", `${ofUser}/enable`, "success"),
    change("take the tag away", ofUser, "not_found", { tags: [] }),
    change("give the tag back", ofUser, "success", { tags: ["changed"] }),
    change("disable the row", `${ofRow}/disable`, "connector_disabled"),
    change("enable the row", `${ofRow}/enable`, "success"),
  ];
}

/** A lost answer leaves open whether the change was made, so it is sent again. */
async function makeUntilConfirmed(ctx: ChangeContext, change: Change): Promise<boolean> {
  while (!ctx.isStopped()) {
    const response = await fetch(`${ctx.replicas.url}${change.path}`, {
      method: change.method,
      headers: {
        authorization: `Bearer ${ctx.manageToken}`,
        "content-type": "application/json",
      },
      ...(change.body !== null && { body: JSON.stringify(change.body) }),
    }).catch(() => null);
    if (response?.ok === true) return true;
    const text = await response?.text();
    if (response !== null && response.status < 500) {
      throw new Error(`${change.name}: ${response.status} ${text}`);
    }
    await Bun.sleep(50);
  }
  return false;
}

/** Null if the server did not answer, or could not because its database was away. */
async function callAsUser({ rowId, user }: ChangeContext, url: string): Promise<string | null> {
  const call = toToolCall("hub_execute", {
    tool_id: `conn:${rowId}/greet`,
    params: { name: "change" },
  });
  const response = await postRpc(url, user.token, call).catch(() => null);
  if (response === null || response.status >= 500) return null;
  if (response.status === 401) return "refused";
  const { code } = readOutcome(await readMessage(response));
  if (code === "unavailable") return null;
  return code ?? "success";
}
