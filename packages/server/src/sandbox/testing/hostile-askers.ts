import type { ScriptQuestion } from "../script-sandbox.ts";

/** Scripts that try to hurt the hub by their calls, and how they must end. The hub answers with what it was asked. */
export type HostileAsker = {
  name: string;
  source: string;
  /** The code of the failure, or the value of a script that succeeds. */
  end: { code: "timeout" | "code_failed" } | { value: unknown };
  /** How many questions reach the hub. */
  asks: number;
};

/** Catches the error of a call, and returns its code or name. */
const caught = (call: string) =>
  `try { await ${call} } catch (thrown) { return thrown.code ?? thrown.name }`;

export const hostileAskers: readonly HostileAsker[] = [
  // Floods.
  {
    name: "a flood of calls",
    source: "for (let i = 0; i < 210; i++) call('a').catch(() => {}); await call('b')",
    end: { code: "code_failed" },
    asks: 5,
  },
  {
    name: "a flood of calls, one after another",
    source:
      "let n = 0; try { for (;;) { await call('a'); n += 1 } } catch (e) { return [n, e.code] }",
    end: { value: [200, "rate_limited"] },
    asks: 200,
  },
  {
    name: "a flood of params",
    source:
      "const text = 'x'.repeat(250000); const all = []; for (let i = 0; i < 40; i++) all.push(call('a', text).catch((e) => e.code)); const codes = await Promise.all(all); return codes.filter((code) => code === 'invalid_params').length > 0",
    end: { value: true },
    asks: 21,
  },
  {
    name: "calls and an endless loop",
    source: "for (let i = 0; i < 10; i++) call('a'); for (;;);",
    end: { code: "timeout" },
    asks: 5,
  },
  {
    name: "calls without end",
    source: "for (;;) call('a').catch(() => {})",
    end: { code: "timeout" },
    asks: 5,
  },
  { name: "a call and no wait", source: "call('a'); return 1", end: { value: 1 }, asks: 1 },
  {
    name: "a call after the end",
    source: "call('a').then(() => call('b')); return 1",
    end: { value: 1 },
    asks: 1,
  },
  // Promises and thenables.
  {
    name: "a promise without end, after a call",
    source: "await call('a'); await new Promise(() => {})",
    end: { code: "code_failed" },
    asks: 1,
  },
  {
    name: "promises without end beside a call",
    source: "const wait = call('a'); for (;;) await 1;",
    end: { code: "timeout" },
    asks: 1,
  },
  {
    name: "a thenable as params",
    source: "return (await call('a', { then() { throw 1 }, b: 1 })).params",
    end: { value: { b: 1 } },
    asks: 1,
  },
  // What is passed.
  {
    name: "a getter that throws",
    source: caught("call('a', { get b() { throw new RangeError() } })"),
    end: { value: "RangeError" },
    asks: 0,
  },
  {
    name: "a toJSON that throws",
    source: caught("call('a', { toJSON() { throw new RangeError() } })"),
    end: { value: "RangeError" },
    asks: 0,
  },
  {
    name: "a toJSON that calls",
    source: "return (await call('a', { toJSON() { call('b'); return 1 } })).params",
    end: { value: 1 },
    asks: 2,
  },
  {
    name: "a loop in a getter",
    source: "await call('a', { get b() { for (;;); } })",
    end: { code: "timeout" },
    asks: 0,
  },
  {
    name: "a cycle",
    source: `const a = {}; a.a = a; ${caught("call('a', a)")}`,
    end: { value: "TypeError" },
    asks: 0,
  },
  {
    name: "a large integer",
    source: caught("call('a', 1n)"),
    end: { value: "TypeError" },
    asks: 0,
  },
  {
    name: "a function",
    source: caught("call('a', () => {})"),
    end: { value: "TypeError" },
    asks: 0,
  },
  {
    name: "large params",
    source: caught("call('a', 'x'.repeat(3e5))"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "large params in UTF-8",
    source: caught("call('a', 'ü'.repeat(200000))"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "many values",
    source: caught("call('a', new Array(100000).fill(0))"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "deep params",
    source: `let a = 1; for (let i = 0; i < 70; i++) a = [a]; ${caught("call('a', a)")}`,
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "half a character",
    source: "return (await call('a', '\\ud800')).params === '\\ud800'",
    end: { value: true },
    asks: 1,
  },
  {
    name: "no text as an id",
    source: caught("call({ toString: () => 'a' })"),
    end: { value: "TypeError" },
    asks: 0,
  },
  {
    name: "a long id",
    source: caught("call('x'.repeat(1e7))"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "fields that are no list",
    source: caught("call('a', {}, { fields: { length: 1e9 } })"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "too many fields",
    source: caught("call('a', {}, { fields: new Array(101).fill('a') })"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  {
    name: "an unknown option",
    source: caught("call('a', {}, { owner: 'admin' })"),
    end: { value: "TypeError" },
    asks: 0,
  },
  {
    name: "a long query",
    source: caught("search('x'.repeat(10001))"),
    end: { value: "invalid_params" },
    asks: 0,
  },
  // Depth.
  {
    name: "a call at the end of the stack",
    source:
      "let last; const f = () => { try { f() } catch { last ??= call('a') } }; f(); try { await last } catch {} return last instanceof Promise",
    end: { value: true },
    // The stack is too short to ask, so its promise is rejected.
    asks: 0,
  },
  // The setup.
  {
    name: "replaced functions",
    source:
      "JSON.parse = JSON.stringify = Object.keys = Object.defineProperty = Promise.prototype.then = () => { throw 1 }; globalThis.Promise = globalThis.Error = globalThis.TypeError = null; Object.prototype.get = Object.prototype.value = Object.prototype.toJSON = undefined; return (await call('a', { b: 1 })).params.b",
    end: { value: 1 },
    asks: 1,
  },
  {
    name: "setters of prototypes",
    source:
      "for (const name of ['1', 'resolve', 'reject', 'stack', 'text', 'target', 'fields']) { Object.defineProperty(Object.prototype, name, { set() { throw 1 }, get() { throw 1 }, configurable: true }); } return (await call('a', {}, { fields: ['b'] })).toolId",
    end: { value: "a" },
    asks: 1,
  },
  {
    name: "names of prototypes in a result",
    source:
      'const { params } = await call("a", JSON.parse(\'{"__proto__":{"polluted":1}}\')); return [({}).polluted === undefined, Object.keys(params)]',
    end: { value: [true, ["__proto__"]] },
    asks: 1,
  },
  {
    name: "replaced calls",
    source: "const saved = call; call = null; search = null; return (await saved('a')).toolId",
    end: { value: "a" },
    asks: 1,
  },
  {
    name: "the functions of the host",
    source:
      "const found = ['ask', 'complete', 'takeComplete', 'asked'].filter((name) => name in globalThis); try { call.caller } catch { found.push('strict') } return found",
    end: { value: ["strict"] },
    asks: 0,
  },
];

/** Answers a question with itself. */
export async function echoQuestion(question: ScriptQuestion) {
  return { kind: "value", text: JSON.stringify(question) } as const;
}
