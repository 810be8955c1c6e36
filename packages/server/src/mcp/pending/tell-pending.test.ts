/**
 * How each client is told of a call that waits, over both protocol modes. Protects: nothing is sent to a client that did
 * not declare it, and what one client was given is worth nothing to another.
 */
import { describe, expect, test } from "bun:test";
import { toPendingError } from "../../operations/pending/pending-error.ts";
import type { ClientQuestions } from "../../operations/ports.ts";
import { metaKeys } from "../modes/protocol-versions.ts";
import { ada, ben, openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, postStateless, request } from "../testing/post-message.ts";
import { type ReplyFrame, readJson, toFrame } from "../testing/read-reply.ts";
import { until } from "../testing/until.ts";

const url = "https://hub.example/approvals/calls/p1";

type Options = {
  decider?: "you" | "others";
  isForm?: boolean;
  params?: unknown;
  operationName?: string;
  hasSeveralServers?: boolean;
};

/** A hub whose one operation must be approved. */
function openAsking({
  decider = "you",
  isForm = false,
  params = { name: "Ada" },
  operationName = "Close issue",
  hasSeveralServers = false,
}: Options = {}) {
  let state: "open" | "approved" | "denied" | "done" = "open";
  const decisions: string[] = [];
  const callers: string[] = [];
  const shown = {
    rowLabel: "prod",
    connectorKey: "codehost",
    connectorName: "Code host",
    operationName,
    description: "",
    isDestructive: false,
    params,
    account: null,
    accountId: null,
    rule: { name: "Ask", sentence: "Look twice." },
    note: null,
  };
  const questions: Pick<ClientQuestions, "find" | "decide"> = {
    find: async () => ({ id: "p1", state, shown, isConfirmedByClient: isForm }),
    async decide(ctx, id, decision) {
      decisions.push(`${ctx.caller.userId} ${id} ${decision}`);
      if (state !== "open") return false;
      state = decision;
      return true;
    },
  };
  const opened = openTestMcp({
    questions,
    ...(hasSeveralServers && { isOnlyServer: async () => false }),
    async run({ caller }) {
      callers.push(caller.userId);
      if (state === "done") return { again: true };
      if (state === "approved") {
        state = "done";
        return { ran: true };
      }
      throw toPendingError("approval_required", `The user must approve. The page: ${url}`, {
        pending_id: "p1",
        url,
        retry_after_s: 15,
        expires_at: "2026-11-28T00:00:00Z",
        decider,
        reason: "approval",
        run_by_repeat: true,
        ...(callers.length > 1 && { asked_before: true }),
      });
    },
  });
  return {
    ...opened,
    decisions,
    callers,
    decide(next: typeof state) {
      state = next;
    },
  };
}

const { params: call } = execute();

type Capabilities = Record<string, unknown>;

function callStateless(
  { mcp }: Pick<ReturnType<typeof openAsking>, "mcp">,
  elicitation: Capabilities | null,
  more: Record<string, unknown> = {},
  caller = ada,
) {
  const capabilities = elicitation === null ? {} : { elicitation };
  return postStateless(
    mcp,
    "tools/call",
    { ...call, ...more },
    { caller, meta: { [metaKeys.clientCapabilities]: capabilities } },
  );
}

type Needed = { resultType: string; inputRequests: Record<string, unknown>; requestState: string };

async function readNeeded(response: Response): Promise<Needed> {
  const { result } = await readJson(response);
  // Of the test's own client: a result of another type fails the first comparison.
  const needed = result as unknown as Needed;
  expect(needed.resultType).toBe("input_required");
  return needed;
}

async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  const { result } = await readJson(response);
  return JSON.parse(result.content[0].text);
}

const accepted = { inputResponses: { approval: { action: "accept", content: {} } } };

describe("the stateless mode", () => {
  test("A client that opens pages gets the page, and its repeated request runs the approved call", async () => {
    const hub = openAsking();
    const first = await readNeeded(await callStateless(hub, { url: {} }));
    expect(first.inputRequests).toEqual({
      approval: {
        method: "elicitation/create",
        params: { mode: "url", url, message: expect.stringContaining("waits for your approval") },
      },
    });
    expect(first).not.toHaveProperty("content");
    hub.decide("approved");
    const { requestState } = first;
    const answer = await readAnswer(
      await callStateless(hub, { url: {} }, { ...accepted, requestState }),
    );
    expect(answer).toEqual({ ran: true });
    expect(hub.decisions).toEqual([]);
  });

  test.each<[string, Capabilities | null]>([
    ["nothing", null],
    ["forms only, in the old way", {}],
    ["forms only", { form: {} }],
  ])("A client that declares %s gets a result of the tool with the page and the id", async (_what, declared) => {
    const hub = openAsking();
    const { result } = await readJson(await callStateless(hub, declared));
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      code: "approval_required",
      pending_id: "p1",
      url,
      retry_after_s: 15,
    });
  });

  test("After the page was opened, the answer waits for the decision", async () => {
    const hub = openAsking();
    const { requestState } = await readNeeded(await callStateless(hub, { url: {} }));
    const answer = callStateless(hub, { url: {} }, { ...accepted, requestState }).then(readAnswer);
    await until(() => hub.timers.pending() > 1);
    hub.decide("approved");
    hub.timers.advance(1000);
    expect(await answer).toEqual({ ran: true });
  });

  test("A person who takes long is not asked twice: the client gets a result of the tool", async () => {
    const hub = openAsking();
    const { requestState } = await readNeeded(await callStateless(hub, { url: {} }));
    let answer: Record<string, unknown> | null = null;
    callStateless(hub, { url: {} }, { ...accepted, requestState })
      .then(readAnswer)
      .then((read) => {
        answer = read;
      });
    await until(() => {
      hub.timers.advance(1000);
      return answer !== null;
    });
    expect(answer).toMatchObject({ code: "approval_required", pending_id: "p1" });
  });

  test.each([
    "decline",
    "cancel",
  ])("A page that the user does not open (%s) decides nothing", async (action) => {
    const hub = openAsking();
    const { requestState } = await readNeeded(await callStateless(hub, { url: {} }));
    const inputResponses = { approval: { action } };
    const answer = await callStateless(hub, { url: {} }, { inputResponses, requestState });
    expect(await readAnswer(answer)).toMatchObject({ code: "approval_required" });
    expect(hub.decisions).toEqual([]);
  });

  test("A request without the answer is asked again", async () => {
    const hub = openAsking();
    const { requestState } = await readNeeded(await callStateless(hub, { url: {} }));
    const inputResponses = { another: { action: "accept" } };
    await readNeeded(await callStateless(hub, { url: {} }, { inputResponses, requestState }));
  });

  test("A form that the rule allows confirms the call, and says so with its user", async () => {
    const hub = openAsking({ isForm: true });
    const first = await readNeeded(await callStateless(hub, { form: {} }));
    expect(first.inputRequests.approval).toEqual({
      method: "elicitation/create",
      params: {
        mode: "form",
        message: expect.stringMatching(/"Close issue" of "prod"[\s\S]*"Ada"[\s\S]*Look twice\./),
        requestedSchema: { type: "object", properties: {} },
      },
    });
    const { requestState } = first;
    const answer = await callStateless(hub, { form: {} }, { ...accepted, requestState });
    expect(await readAnswer(answer)).toEqual({ ran: true });
    expect(hub.decisions).toEqual(["ada p1 approved"]);
  });

  test("A form that is declined denies the call", async () => {
    const hub = openAsking({ isForm: true });
    const { requestState } = await readNeeded(await callStateless(hub, { form: {} }));
    const inputResponses = { approval: { action: "decline" } };
    await callStateless(hub, { form: {} }, { inputResponses, requestState });
    expect(hub.decisions).toEqual(["ada p1 denied"]);
  });

  test("A form shows no call whose params it would cut: the page does", async () => {
    const hub = openAsking({ isForm: true, params: { text: "x".repeat(2000) } });
    const declared = { form: {}, url: {} };
    const { inputRequests } = await readNeeded(await callStateless(hub, declared));
    expect(inputRequests.approval).toMatchObject({ params: { mode: "url" } });
  });

  test("The name of an operation imitates no other part of the form", async () => {
    const operationName = 'Read". \nParams: {"name":"Eve"}';
    const hub = openAsking({ isForm: true, operationName });
    const { inputRequests } = await readNeeded(await callStateless(hub, { form: {} }));
    const name = '"Read\\". \\nParams: {\\"name\\":\\"Eve\\"}"';
    const message = `Let this call run? ${name} of "prod".\nParams: {"name":"Ada"}\nLook twice.`;
    expect(inputRequests.approval).toMatchObject({ params: { message } });
  });

  test("The answer to a page confirms nothing, whatever a client sends", async () => {
    const hub = openAsking();
    const { requestState } = await readNeeded(await callStateless(hub, { url: {} }));
    const asked = callStateless(hub, { url: {} }, { ...accepted, requestState });
    await until(() => hub.timers.pending() > 1);
    expect(hub.decisions).toEqual([]);
    hub.decide("denied");
    hub.timers.advance(1000);
    await asked;
  });

  test("A client of a call that others decide is asked nothing", async () => {
    const hub = openAsking({ decider: "others", isForm: true });
    const answer = await callStateless(hub, { form: {}, url: {} });
    expect(await readAnswer(answer)).toMatchObject({ decider: "others", url });
  });

  describe("a requestState", () => {
    const refused = { code: -32602, message: expect.stringContaining("requestState") };

    async function expectRefused(response: Response) {
      expect((await readJson(response)).error).toMatchObject(refused);
    }

    test("of another user is refused, and the call does not run", async () => {
      // As over stdio, where the principals of two users have the same name.
      const thief = { ...ben, tokenId: ada.tokenId };
      const hub = openAsking({ isForm: true });
      const { requestState } = await readNeeded(await callStateless(hub, { form: {} }));
      await expectRefused(
        await callStateless(hub, { form: {} }, { ...accepted, requestState }, thief),
      );
      expect(hub.decisions).toEqual([]);
      expect(hub.callers).toEqual(["ada"]);
    });

    test("of another principal of the same user is refused", async () => {
      const hub = openAsking({ isForm: true });
      const { requestState } = await readNeeded(await callStateless(hub, { form: {} }));
      const other = { ...ada, tokenId: "another" };
      await expectRefused(
        await callStateless(hub, { form: {} }, { ...accepted, requestState }, other),
      );
    });

    test("of a request with other arguments is refused", async () => {
      const hub = openAsking({ isForm: true });
      const { requestState } = await readNeeded(await callStateless(hub, { form: {} }));
      const { params } = execute({ name: "Eve" });
      await expectRefused(
        await callStateless(hub, { form: {} }, { ...params, ...accepted, requestState }),
      );
      expect(hub.decisions).toEqual([]);
    });

    test.each([
      "",
      "x",
      "e30",
      7,
    ])("that the hub did not make (%p) is refused", async (requestState) => {
      const hub = openAsking({ isForm: true });
      await expectRefused(await callStateless(hub, { form: {} }, { ...accepted, requestState }));
    });

    test("is refused after an hour", async () => {
      const hub = openAsking({ isForm: true });
      const { requestState } = await readNeeded(await callStateless(hub, { form: {} }));
      hub.timers.advance(60 * 60_000 + 1);
      await expectRefused(await callStateless(hub, { form: {} }, { ...accepted, requestState }));
    });

    test("of a call that has run confirms nothing", async () => {
      const hub = openAsking({ isForm: true });
      const { requestState } = await readNeeded(await callStateless(hub, { form: {} }));
      hub.decide("done");
      const answer = await callStateless(hub, { form: {} }, { ...accepted, requestState });
      expect(await readAnswer(answer)).toEqual({ again: true });
    });
  });
});

describe("the session mode", () => {
  type Hub = ReturnType<typeof openAsking>;
  const events = { accept: "application/json, text/event-stream" };

  async function begin({ mcp }: Hub, version: string, capabilities: Capabilities, caller = ada) {
    const hello = {
      protocolVersion: version,
      capabilities,
      clientInfo: { name: "t", version: "1" },
    };
    const response = await post(mcp, request("initialize", hello), { caller });
    return { ...events, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
  }

  test("A client of 2025-11-25 that opens pages gets the error -32042 with the page", async () => {
    const hub = openAsking();
    const headers = await begin(hub, "2025-11-25", { elicitation: { url: {} } });
    const { error } = await readJson(await post(hub.mcp, execute(), { headers }));
    expect(error).toMatchObject({
      code: -32042,
      message: expect.stringContaining(url),
      data: {
        elicitations: [{ mode: "url", url, elicitationId: "p1", message: expect.any(String) }],
        pending_id: "p1",
      },
    });
  });

  test("A client that opens no page in spite of its word gets the page by the repeat, as a result of the tool", async () => {
    const hub = openAsking();
    const headers = await begin(hub, "2025-11-25", { elicitation: { url: {} } });
    expect((await readJson(await post(hub.mcp, execute(), { headers }))).error.code).toBe(-32042);
    const answer = await readAnswer(await post(hub.mcp, execute(), { headers }));
    expect(answer).toMatchObject({ code: "approval_required", pending_id: "p1", url });
    expect(answer.error).toContain(url);
  });

  test.each<[string, string, Capabilities]>([
    ["declares nothing", "2025-11-25", {}],
    ["declares forms", "2025-11-25", { elicitation: {} }],
    ["speaks 2025-06-18, which has no pages", "2025-06-18", { elicitation: { url: {} } }],
  ])("A client that %s gets a result of the tool", async (_what, version, capabilities) => {
    const hub = openAsking();
    const headers = await begin(hub, version, capabilities);
    const answer = await readAnswer(await post(hub.mcp, execute(), { headers }));
    expect(answer).toMatchObject({ code: "approval_required", pending_id: "p1", url });
  });

  test("A client without a session, or with one of another process, gets a result of the tool", async () => {
    const hub = openAsking();
    for (const id of [null, "of-another-process"]) {
      const headers = id === null ? events : { ...events, "mcp-session-id": id };
      const answer = await readAnswer(await post(hub.mcp, execute(), { headers }));
      expect(answer).toMatchObject({ code: "approval_required" });
    }
  });

  /** Reads a stream of events frame by frame. */
  function readStream(response: Response) {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    return async (): Promise<ReplyFrame> => {
      for (;;) {
        const found = text.match(/data: (.*)\n\n/);
        if (found !== null) {
          text = text.slice((found.index ?? 0) + found[0].length);
          return toFrame(found[1] ?? "");
        }
        const read = await reader?.read();
        if (read === undefined || read.done) throw new Error("The stream has ended");
        text += read.value;
      }
    };
  }

  async function askForm(hub: Hub) {
    const headers = await begin(hub, "2025-11-25", { elicitation: {} });
    const next = readStream(await post(hub.mcp, execute(), { headers }));
    const asked = await next();
    expect(asked).toMatchObject({
      method: "elicitation/create",
      params: { mode: "form", message: expect.stringContaining("Close issue") },
    });
    const answer = (result: unknown, more = {}) =>
      post(hub.mcp, { jsonrpc: "2.0", id: asked.id, result }, { headers, ...more });
    return { next, answer, headers };
  }

  test("A form is sent on the stream of the call, and its answer lets the call run", async () => {
    const hub = openAsking({ isForm: true });
    const { next, answer } = await askForm(hub);
    expect((await answer({ action: "accept", content: {} })).status).toBe(202);
    expect((await next()).result.structuredContent).toEqual({ ran: true });
    expect(hub.decisions).toEqual(["ada p1 approved"]);
    expect(hub.rows.map(({ outcome }) => outcome)).toEqual(["approval_required", "success"]);
  });

  test("The answer of another user or session decides nothing", async () => {
    const hub = openAsking({ isForm: true });
    const { next, answer } = await askForm(hub);
    await answer({ action: "accept" }, { caller: ben });
    const other = await begin(hub, "2025-11-25", {});
    await answer({ action: "accept" }, { headers: other });
    expect(hub.decisions).toEqual([]);
    await answer({ action: "decline" });
    await next();
    expect(hub.decisions).toEqual(["ada p1 denied"]);
  });

  test("A form that is closed, or that nothing answers, leaves the page", async () => {
    const hub = openAsking({ isForm: true });
    const closed = await askForm(hub);
    await closed.answer({ action: "cancel" });
    expect((await closed.next()).result.isError).toBe(true);
    const silent = await askForm(hub);
    hub.timers.advance(5 * 60_000);
    expect((await silent.next()).result.isError).toBe(true);
    expect(hub.decisions).toEqual([]);
  });

  test("No form is sent where its answer may reach another server, or to a client without streams", async () => {
    for (const hasSeveralServers of [false, true]) {
      const hub = openAsking({ isForm: true, hasSeveralServers });
      const headers = await begin(hub, "2025-11-25", { elicitation: {} });
      const accept = hasSeveralServers ? events.accept : "application/json";
      const sent = { headers: { ...headers, accept } };
      const answer = await readAnswer(await post(hub.mcp, execute(), sent));
      expect(answer).toMatchObject({ code: "approval_required" });
    }
  });
});
