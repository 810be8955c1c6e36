import type { Page } from "playwright-core";
import type { PagePicture } from "./page-pictures.ts";
import type { SampleHub } from "./sample-hub.ts";

type CallRows = {
  /** An `http` row whose calls succeed, one whose key is refused, and one whose calls fail. */
  rows: { good: string; refused: string; failing: string };
  /** A row of the connector `form`. */
  form: string;
};

/** The calls of a message, the bench of several calls, the states of rows, and the dialogs of admins. */
export async function listCallPictures(
  { base, token, hub }: SampleHub,
  { rows, form }: CallRows,
): Promise<PagePicture[]> {
  const message = await sendMessage(base, { token, call: await makeToken(hub) }, rows);
  const row = (id: string, search = "") => `/manager/connectors/http/${id}${search}`;
  const press = (name: string | RegExp) => (page: Page) =>
    page.getByRole("button", { name }).first().click();
  return [
    { name: "run-message", path: `/manager/runs/${message}` },
    { name: "runs-message-panel", path: `/manager/runs?open=${message}`, isWindow: true },
    { name: "runs-of-message", path: `/manager/runs?cause_id=${message}` },
    { name: "runs-each", path: "/manager/runs?each=true&span=today" },
    { name: "runs-saved", path: "/manager/runs", isWindow: true, act: press("Saved filters") },
    { name: "row-refused", path: row(rows.refused) },
    { name: "row-failing", path: row(rows.failing) },
    { name: "row-reads", path: `/manager/connectors/form/${form}?tab=operations` },
    { name: "connector-reads", path: "/manager/connectors/form" },
    {
      name: "callable-message",
      path: `/operations/${rows.good}/get`,
      async act(page) {
        for (const path of ["/orders/17", "/orders/18"]) {
          await page.getByLabel("Path").first().fill(path);
          await press(/^Add to/)(page);
        }
        await page.getByRole("button", { name: /^Send 2/ }).waitFor();
      },
    },
  ];
}

async function makeToken(hub: SampleHub["hub"]): Promise<string> {
  const named = ["--user", "admin@localhost", "--name", "Tablet", "--json"];
  const made = await hub.cli("token", "create", ...named);
  return made.json<{ token: string }>().token;
}

/** Sends one message of calls, of which some fail. Returns the id of its record. */
async function sendMessage(
  base: string,
  tokens: { token: string; call: string },
  rows: CallRows["rows"],
): Promise<string> {
  const toHeaders = (token: string) => ({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  const get = (row: string, path: string) => ({ tool_id: `conn:${row}/get`, params: { path } });
  const calls = [
    get(rows.good, "/orders/17"),
    get(rows.good, "/customers/4711"),
    get(rows.failing, "/charges?state=open"),
    get(rows.refused, "/folders/inbox"),
    get(rows.good, "/search?q=the+longest+words+that+a+person+would+look+for"),
  ];
  const params = { name: "hub_read", arguments: { calls } };
  await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { ...toHeaders(tokens.call), "user-agent": "claude-code/2.1.4 (cli)" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const answer = await fetch(`${base}/manager/api/runs?grouped=true&limit=20`, {
    headers: toHeaders(tokens.token),
  });
  const { runs }: { runs: Array<{ id: string; calls?: object }> } = Object(await answer.json());
  return runs.find((run) => run.calls !== undefined)?.id ?? "";
}
