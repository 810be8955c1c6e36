/**
 * One connector, compiled into one hub and installed into others as a standalone and as a thin plugin: whatever a
 * client, an admin or the audit sees of it is the same, but for ids. Each scenario is played in all hubs; what it
 * expects holds for all, and what it saw there is compared. `.ci/run` leaves out the standalone form.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { amount } from "@hub/server/lib/testing/amount.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type AuditRow, findLastRun, readAudit, readRunsAfter } from "./support/audit.ts";
import type { TestClient, ToolAnswer } from "./support/mcp-client.ts";
import {
  modes,
  openParityHubs,
  type ParityHub,
  type ProtocolMode,
  rowSecret,
} from "./support/open-parity-hubs.ts";
import { waitFor } from "./support/wait-for.ts";
import { withoutIds } from "./support/without-ids.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let twins: ParityHub[];

beforeAll(async () => {
  twins = await openParityHubs(owned);
});
afterAll(() => owned.disposeAsync());

/** One hub, with the client through which a scenario is played. */
type Stage = ParityHub & { client: TestClient };

/** Plays it in all hubs, and compares what was seen. */
async function playInAll(
  mode: ProtocolMode,
  play: (stage: Stage) => Promise<unknown>,
): Promise<void> {
  const seen = await Promise.all(
    twins.map(async (twin) => {
      const before = findLastRun(twin.hub.dataDir);
      const answers = await play({ ...twin, client: twin.clients[mode] }).catch((cause) => {
        throw new Error(`It fails ${twin.place}: ${cause.message}`, { cause });
      });
      return withoutIds({ answers, runs: await readRunsSince(twin, before) });
    }),
  );
  const [compiledIn, ...plugins] = seen;
  expect(plugins).toEqual(plugins.map(() => compiledIn));
  expect(plugins.length).toBe(amount(1, 2));
}

/** What the audit holds of the scenario, once all of it is over. */
async function readRunsSince({ hub }: ParityHub, before: AuditRow | undefined): Promise<unknown[]> {
  const runs = await waitFor(() => {
    const found = readRunsAfter(hub.dataDir, before);
    return found.every(({ status }) => status !== "running") && found;
  });
  return runs.map(({ id, instance_id, latency_ms, started_at, ended_at, ...run }: AuditRow) => run);
}

const lastRun = ({ hub }: Stage): AuditRow | undefined => findLastRun(hub.dataDir);

const execute = (
  { client, rowId }: Stage,
  operation: string,
  params: Record<string, unknown> = {},
  options: Parameters<TestClient["execute"]>[2] = {},
): Promise<ToolAnswer> => client.execute(`conn:${rowId}/${operation}`, params, options);

const anyToken = expect.stringMatching(/^hub_enc_[\w-]+$/);

/** The first byte of a token: 1 opens in all calls of its user, 2 in calls of one row. */
function readVersion(token: string): number | undefined {
  return Buffer.from(token.slice("hub_enc_".length), "base64url")[0];
}

function checkNoSecret(value: unknown): void {
  const text = JSON.stringify(value);
  for (const secret of [rowSecret, JSON.stringify(rowSecret).slice(1, -1), "0123456789"]) {
    expect(text).not.toContain(secret);
  }
}

describe.each(amount(modes.slice(1), [...modes]))("by a client of the %s mode", (mode) => {
  const same = (title: string, play: (stage: Stage) => Promise<unknown>) =>
    test(title, () => playInAll(mode, play));

  describe("a plugin is to a model what a built-in connector is:", () => {
    same("it is listed and found", async ({ client, rowId }) => {
      const listed = (await client.call("hub_list")).value;
      expect(listed.tools).toContainEqual({
        tool_id: `conn:${rowId}/greet`,
        connector: "Fixture",
        label: "Laboratory",
        name: "greet",
        description: "Greets a person by name.",
        destructive: false,
      });
      const found = (await client.call("hub_search", { query: "greets a person" })).value;
      expect(found.tools[0].tool_id).toBe(`conn:${rowId}/greet`);
      return [listed, found, (await client.call("hub_list", { connector: "fixture" })).value];
    });

    same("each operation tells its schema", async ({ client }) => {
      const { tools } = (await client.call("hub_list")).value;
      expect(tools.length).toBeGreaterThan(10);
      const seen: unknown[] = [];
      for (const { tool_id } of tools) seen.push((await client.call("hub_get", { tool_id })).value);
      expect(seen[0]).toMatchObject({
        input_schema: { required: ["name"], additionalProperties: false },
      });
      return seen;
    });

    same("it answers, with defaults and choices", async (stage) => {
      const { value } = await execute(stage, "greet", { name: "Ada ✓ \u2028" });
      expect(value).toEqual({ greeting: "Hello Ada ✓ \u2028", times: 1 });
      expect(lastRun(stage)).toMatchObject({ status: "success", source: "mcp", http_status: null });
      return value;
    });

    same("whole numbers keep every digit", async (stage) => {
      const { text } = await execute(stage, "big_number", { value: "9007199254740993123" });
      expect(text).toContain("9007199254740993123");
      return text;
    });

    same("a result that is too long is cut, and says so", async (stage) => {
      const { text, value } = await execute(stage, "greet", { name: "é".repeat(30_000) });
      expect(text.length).toBeLessThan(25_000);
      return value;
    });
  });

  describe("secrets stay secret:", () => {
    same("those of the row", async (stage) => {
      const first = (await execute(stage, "show")).value;
      expect(first).toEqual({ secret: anyToken, chars: rowSecret.length });
      const second = (await execute(stage, "show")).value;
      expect(second).toEqual(first);
      return [first, second];
    });

    same("those that the connector names as it goes (trap 5)", async (stage) => {
      const { value } = await execute(stage, "mask");
      expect(value).toEqual({ exact: anyToken, mixed: anyToken, ofRow: [anyToken, anyToken] });
      return value;
    });

    same(
      "those that it names as the row's are bound to the row, others are the user's",
      async (stage) => {
        const { value } = await execute(stage, "mask");
        const { exact, mixed, ofRow } = value;
        const tokens = [exact, mixed, ...ofRow];
        expect(tokens.map(readVersion)).toEqual([1, 1, 2, 2]);
        return value;
      },
    );

    same("one that is typed into a secret field, in the audit as well", async (stage) => {
      const password = "typed-in-plain-7";
      const { value } = await execute(stage, "whisper", { password });
      expect(value).toEqual({ length: password.length, said: anyToken });
      expect(JSON.stringify(lastRun(stage))).not.toContain(password);
      return value;
    });

    same("a token is opened for the connector, also in the middle of a text", async (stage) => {
      const token: string = (await execute(stage, "show")).value.secret;
      const whole = (await execute(stage, "whisper", { password: token })).value;
      expect(whole).toEqual({ length: rowSecret.length, said: token });
      const part = (await execute(stage, "whisper", { password: `Bearer ${token}!` })).value;
      expect(part.length).toBe(`Bearer ${rowSecret}!`.length);
      const echoed = (await execute(stage, "greet", { name: `Dr ${token}` })).value;
      expect(echoed.greeting).toBe(`Hello Dr ${token}`);
      return [whole, part, echoed];
    });

    same("a token of somebody else is not opened", async (stage) => {
      const { value: other } = await stage.admin.execute(`conn:${stage.rowId}/show`);
      const answer = await execute(stage, "whisper", { password: other.secret });
      expect(answer.isError).toBeTrue();
      return answer;
    });

    same("in progress (trap 5)", async (stage) => {
      const reports: unknown[] = [];
      const { value } = await execute(stage, "count", {}, { onprogress: (r) => reports.push(r) });
      expect(value).toEqual({ counted: 3 });
      expect(reports.length).toBeGreaterThan(0);
      checkNoSecret(reports);
      expect(JSON.stringify(reports[0])).toContain("hub_enc_");
      // A client may lose reports that come together with the answer, so that not all are compared.
      return [value, reports[0]];
    });

    same("in the log", async (stage) => {
      const before = stage.hub.stderr().length;
      await execute(stage, "log");
      const line = await waitFor(() =>
        stage.hub
          .stderr()
          .slice(before)
          .split("\n")
          .slice(0, -1)
          .find((each) => each.includes("calling with")),
      );
      checkNoSecret(line);
      const { time, ...said } = JSON.parse(line);
      expect(said).toMatchObject({ level: 40, connector: "fixture" });
      return said;
    });
  });

  describe("failures are told alike:", () => {
    same("what the outside system said, with its status", async (stage) => {
      const { isError, value } = await execute(stage, "refuse");
      expect(isError).toBeTrue();
      expect([value.code, value.http_status]).toEqual(["upstream_error", 503]);
      expect(value.upstream).toEqual({ seen: [anyToken] });
      checkNoSecret(value);
      expect(lastRun(stage)).toMatchObject({ status: "error", http_status: 503 });
      return value;
    });

    same("an input that the operation refuses, with its issues", async (stage) => {
      const { isError, value } = await execute(stage, "reject", { word: "blue" });
      expect([isError, value.code]).toEqual([true, "invalid_params"]);
      const message = expect.stringMatching(/^must not be blue near hub_enc_[\w-]+$/);
      expect(value.issues).toEqual([
        { path: "word", message },
        { path: "", message: "Give another one." },
      ]);
      expect(value.error).toStartWith("Check the params and call again: word must not be blue");
      checkNoSecret(value);
      expect(lastRun(stage)).toMatchObject({ status: "error", error_code: "invalid_params" });
      checkNoSecret(lastRun(stage));
      return value;
    });

    same("a fault of its own code tells nothing of it", async (stage) => {
      const { value } = await execute(stage, "crash");
      expect(value.code).toBe("internal");
      expect(value.error).not.toContain("undefined");
      return value;
    });

    for (const operation of ["overrun", "deaf"]) {
      same(`time is up: ${operation}`, async (stage) => {
        const { value } = await execute(stage, operation);
        expect(value.code).toBe("timeout");
        return value;
      });
    }

    same("params that do not fit, each with its issue", async (stage) => {
      const seen: unknown[] = [];
      for (const params of [
        {},
        { name: "" },
        { name: ["A"] },
        { name: "A", times: 1.5 },
        { name: "A", tone: "rude" },
        { nam: "A" },
        { name: "A", times: "many", tone: 3 },
      ]) {
        const { value } = await execute(stage, "greet", params);
        expect(value.code).toBe("invalid_params");
        expect(value.issues).not.toBeEmpty();
        seen.push(value);
      }
      return seen;
    });

    for (const operation of ["nothing", "maintain", "lookup_only"]) {
      same(`no such operation for a user: ${operation}`, async (stage) => {
        const { value } = await execute(stage, operation);
        expect(value.code).toBe("not_found");
        return value;
      });
    }

    same("a call that its client cancels is over, and on record as cancelled", async (stage) => {
      const abort = new AbortController();
      const call = execute(stage, "wait", {}, { signal: abort.signal }).catch(String);
      await waitFor(() => lastRun(stage)?.operation_key === "wait");
      abort.abort("changed my mind");
      expect(String(await call)).toContain("changed my mind");
      await waitFor(() => lastRun(stage)?.status === "cancelled");
      expect(lastRun(stage)).toMatchObject({ operation_key: "wait", error_code: "cancelled" });
      return (await execute(stage, "greet", { name: "again" })).value;
    });
  });

  describe("access is decided alike:", () => {
    same("who shares no tag with the row sees nothing of it", async ({ stranger, rowId }) => {
      const { value } = await stranger.execute(`conn:${rowId}/greet`, { name: "Eve" });
      expect(value.code).toBe("not_found");
      const listed = (await stranger.call("hub_list")).value;
      expect(JSON.stringify(listed)).not.toContain(rowId);
      const shown = (await stranger.call("hub_get", { tool_id: `conn:${rowId}/greet` })).value;
      expect(shown.code).toBe("not_found");
      return [value, listed, shown];
    });

    const isListed = async ({ client, rowId }: Stage, operation: string) => {
      const { value } = await client.call("hub_list");
      const ids = value.tools.map(({ tool_id }: { tool_id: string }) => tool_id);
      return ids.includes(`conn:${rowId}/${operation}`);
    };

    const switches: Array<[title: string, code: string, toArgs: (rowId: string) => string[]]> = [
      ["an operation", "operation_disabled", (rowId) => ["op", "disable", rowId, "greet"]],
      ["a row", "connector_disabled", (rowId) => ["row", "disable", rowId]],
      ["a type", "connector_disabled", () => ["type", "disable", "fixture"]],
    ];
    for (const [title, code, toArgs] of switches) {
      same(`${title} that is switched off is refused and not listed`, async (stage) => {
        const args = toArgs(stage.rowId);
        await stage.hub.cli(...args);
        const off = (await execute(stage, "greet", { name: "A" })).value;
        const listed = [await isListed(stage, "greet"), await isListed(stage, "show")];
        await stage.hub.cli(...args.map((each) => (each === "disable" ? "enable" : each)));
        expect(off.code).toBe(code);
        expect(listed).toEqual([false, title === "an operation"]);
        const on = (await execute(stage, "greet", { name: "A" })).value;
        expect(on).toMatchObject({ greeting: "Hello A" });
        return [off, listed, on];
      });
    }

    same("a row that lacks what is required is listed, and says so", async (stage) => {
      const add = ["row", "add", "fixture", "--label", `Bare ${mode}`, "--tag", "lab", "--json"];
      add.push("--incomplete");
      const { id } = (await stage.hub.cli(...add)).json<{ id: string }>();
      const bare = { ...stage, rowId: id };
      expect(await isListed(bare, "greet")).toBeTrue();
      const { value } = await execute(bare, "greet", { name: "A" });
      expect(value.code).toBe("needs_setup");
      await stage.hub.cli("row", "delete", id);
      return value;
    });
  });
});

nightlyTest("an admin sees and tests the same row", async () => {
  await playInAll("session", async ({ hub, rowId, admin }) => {
    const shown = (await hub.cli("row", "show", rowId, "--json")).json<Record<string, unknown>>();
    expect(shown.operations).toBeArray();
    const test = ["row", "test", rowId, "maintain", "--json"];
    const tested = (await hub.cli(...test)).json();
    const called = (await admin.execute(`conn:${rowId}/maintain`)).value;
    return [{ ...shown, created_at: null, updated_at: null }, tested, called];
  });
});

test("no secret of the row stands anywhere in the log or the audit", () => {
  expect(twins).toHaveLength(amount(2, 3));
  for (const { hub } of twins) {
    checkNoSecret(hub.stderr());
    checkNoSecret(hub.stdout());
    checkNoSecret(readAudit(hub.dataDir));
  }
});
