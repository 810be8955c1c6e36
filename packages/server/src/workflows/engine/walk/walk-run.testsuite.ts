import { describe, expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { bodyOf, call, operation, set } from "../testing/node-bodies.ts";
import { openEngine } from "../testing/open-engine.ts";

/** How a run gets from its entry to its end: edges, errors, secrets, tries and items. */
export function describeWalks(): void {
  describe("a run", () => {
    test("A run walks from its entry to the end and keeps each output", async () => {
      await using hub = await openEngine(operation(({ params }) => ({ got: params })));
      const workflow = hub.addWorkflow(
        bodyOf(
          [
            {
              id: "check",
              type: "branch",
              conditions: [{ left: "{{.Event.Payload.n}}", op: "gt", right: 3 }],
            },
            set("big", { n: "{{.Event.Payload.n}}", text: "n is {{.Event.Payload.n}}" }),
            set("small", 0),
            call("send", { params: { of: "{{.Node.big.n}}" } }),
          ],
          ["check>big:true", "check>small:false", "big>send"],
        ),
      );
      const run = await hub.untilParked(await hub.run(workflow, { payload: { n: 7 } }));
      expect(run).toMatchObject({ state: "succeeded", error: null, lastNode: "send" });
      expect(run.outputs).toEqual({
        check: true,
        big: { n: 7, text: "n is 7" },
        send: { got: { of: 7 } },
      });
      expect(run.steps.map(({ nodeId }) => nodeId)).toEqual(["check", "big", "send"]);
    });

    test("Branches run side by side and meet in a join, which runs once", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await using hub = await openEngine(
        operation(async ({ nodeId }) => {
          // Each branch waits for the other one to start.
          if (nodeId === "b") await promise;
          else resolve();
          return nodeId;
        }),
      );
      const workflow = hub.addWorkflow(
        bodyOf(
          [set("a", 1), call("b"), call("c"), set("d", "{{.Node.b}}{{.Node.c}}")],
          ["a>b", "a>c", "b>d", "c>d"],
        ),
      );
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run.outputs).toMatchObject({ d: "bc" });
      expect(run.steps).toHaveLength(4);
    });

    test("A failed node fails the run, names its node, and no further node starts", async () => {
      await using hub = await openEngine(
        operation(() => {
          throw new HubError("upstream_error", "The shop is closed.");
        }),
      );
      const workflow = hub.addWorkflow(bodyOf([call("a"), set("b", 1)], ["a>b"]));
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run.state).toBe("failed");
      expect(run.error).toEqual({
        message: "The shop is closed.",
        code: "upstream_error",
        node_id: "a",
      });
      expect(run.steps).toMatchObject([{ nodeId: "a", state: "failed" }]);
    });

    test("With on_error continue the run goes on with the error as output", async () => {
      await using hub = await openEngine(
        operation(() => Promise.reject(new HubError("timeout", "Slow."))),
      );
      const workflow = hub.addWorkflow(
        bodyOf([call("a", { on_error: "continue" }), set("b", "{{.Node.a.code}}")], ["a>b"]),
      );
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run).toMatchObject({
        state: "succeeded",
        outputs: { a: { error: "Slow.", code: "timeout" }, b: "timeout" },
      });
    });

    test("With on_error route only the edge with the case error is taken", async () => {
      await using hub = await openEngine(
        operation(() => Promise.reject(new HubError("timeout", "Slow."))),
      );
      const workflow = hub.addWorkflow(
        bodyOf([call("a", { on_error: "route" }), set("b", 1), set("c", 2)], ["a>b", "a>c:error"]),
      );
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run).toMatchObject({ state: "succeeded", lastNode: "c" });
      expect(run.outputs).not.toHaveProperty("b");
    });

    test("A fail node ends the run with its message", async () => {
      await using hub = await openEngine();
      const workflow = hub.addWorkflow(
        bodyOf([{ id: "a", type: "fail", message: "No {{.Event.Payload.x}}" }]),
      );
      const run = await hub.untilParked(await hub.run(workflow, { payload: { x: "stock" } }));
      expect(run).toMatchObject({
        state: "failed",
        error: { message: "No stock", code: "run_failed" },
      });
    });

    test("A template error fails its node and names the position in the template", async () => {
      await using hub = await openEngine();
      const workflow = hub.addWorkflow(bodyOf([set("a", "{{.Secret.NAME}}")]));
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run.error).toMatchObject({ code: "secret_missing", node_id: "a" });
    });
  });

  describe("secrets", () => {
    const secrets = async () => new Map([["KEY", "s3cret-value"]]);

    test("A secret is in no step: it is rendered as a token, and masked where an answer repeats it", async () => {
      await using hub = await openEngine(operation(() => ({ echo: "it was s3cret-value" })));
      const workflow = hub.addWorkflow(
        bodyOf(
          [call("a", { params: { key: "{{.Secret.KEY}}" } }), set("b", "{{.Event.Payload.text}}")],
          ["a>b"],
        ),
        { secrets },
      );
      const run = await hub.untilParked(
        await hub.run(workflow, { payload: { text: "s3cret-value" } }),
      );
      expect({ error: run.error, failures: hub.failures }).toEqual({ error: null, failures: [] });
      expect(JSON.stringify(run.steps)).not.toContain("s3cret-value");
      expect(run.steps[0]?.input).toContain("hub_enc_");
      expect(run.outputs.a.echo).toStartWith("it was hub_enc_");
    });
  });

  describe("tries", () => {
    test("A failure that can pass is tried again, as often as the node allows", async () => {
      let tries = 0;
      await using hub = await openEngine(
        operation(() => {
          tries += 1;
          if (tries < 3)
            throw new HubError("upstream_error", "Down.", { detail: { http_status: 503 } });
          return tries;
        }),
      );
      const workflow = hub.addWorkflow(
        bodyOf([call("a", { retry: { attempts: 3, backoff_s: 0 } })]),
      );
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run).toMatchObject({ state: "succeeded", outputs: { a: 3 }, steps: [{ tries: 3 }] });
    });

    test("A refusal is not tried again", async () => {
      let tries = 0;
      await using hub = await openEngine(
        operation(() => {
          tries += 1;
          throw new HubError("upstream_error", "No.", { detail: { http_status: 403 } });
        }),
      );
      const workflow = hub.addWorkflow(
        bodyOf([call("a", { retry: { attempts: 3, backoff_s: 0 } })]),
      );
      expect((await hub.untilParked(await hub.run(workflow))).state).toBe("failed");
      expect(tries).toBe(1);
    });

    test("A step with effects is not repeated after an uncertain failure: the run waits for a person", async () => {
      let tries = 0;
      await using hub = await openEngine(
        operation(() => {
          tries += 1;
          throw new HubError("timeout", "No answer.");
        }, true),
      );
      const workflow = hub.addWorkflow(
        bodyOf([call("a", { retry: { attempts: 3, backoff_s: 0 } })]),
      );
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run.state).toBe("waiting");
      expect(JSON.parse(run.waitingFor ?? "")).toMatchObject({ kind: "person", node_id: "a" });
      expect(tries).toBe(1);
    });
  });

  describe("for_each", () => {
    const each = (more: object = {}) =>
      call("a", {
        for_each: "{{.Event.Payload.list}}",
        params: { v: "{{.Item}}", i: "{{.Index}}" },
        ...more,
      });

    test("A node runs once for each item, and its output is the list in order", async () => {
      await using hub = await openEngine(operation(({ params }) => params));
      const workflow = hub.addWorkflow(bodyOf([each({ items_at_once: 3 })]));
      const run = await hub.untilParked(
        await hub.run(workflow, { payload: { list: ["x", "y", "z"] } }),
      );
      expect(run.outputs.a).toEqual([
        { v: "x", i: 0 },
        { v: "y", i: 1 },
        { v: "z", i: 2 },
      ]);
      expect(run.steps.filter(({ item }) => item >= 0)).toHaveLength(3);
    });

    test("One failed item fails the node, and no item starts after it", async () => {
      const started: number[] = [];
      await using hub = await openEngine(
        operation(({ item }) => {
          started.push(item);
          if (item === 1) throw new HubError("upstream_error", "Bad.");
          return item;
        }),
      );
      const workflow = hub.addWorkflow(bodyOf([each()]));
      const run = await hub.untilParked(
        await hub.run(workflow, { payload: { list: [1, 2, 3, 4] } }),
      );
      expect(run).toMatchObject({ state: "failed", error: { message: "Item 1 failed: Bad." } });
      expect(started).toEqual([0, 1]);
    });

    test("With on_error: continue, the output list holds the error of a failed item at its index", async () => {
      await using hub = await openEngine(
        operation(({ item }) => {
          if (item === 1) throw new HubError("upstream_error", "Bad.");
          return item;
        }),
      );
      const workflow = hub.addWorkflow(bodyOf([each({ on_error: "continue" })]));
      const run = await hub.untilParked(await hub.run(workflow, { payload: { list: [1, 2, 3] } }));
      expect(run.outputs.a).toEqual([0, { error: "Bad.", code: "upstream_error" }, 2]);
    });
  });
}
