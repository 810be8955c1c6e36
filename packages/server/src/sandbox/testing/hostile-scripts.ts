/** Scripts that try to hurt the hub, and how they must end. */
export type HostileScript = {
  name: string;
  source: string;
  /** The code of the failure, or null for a script that succeeds. */
  code: "timeout" | "code_failed" | null;
};

export const hostileScripts: readonly HostileScript[] = [
  // Endless loops of the script itself.
  { name: "a loop", source: "for (;;);", code: "timeout" },
  { name: "promises", source: "for (;;) await 1;", code: "timeout" },
  { name: "a loop in toJSON", source: "return { toJSON() { for (;;); } }", code: "timeout" },
  { name: "a loop in an error", source: "throw { get message() { for (;;); } }", code: "timeout" },
  { name: "a thenable", source: "return { then() { for (;;); } }", code: "timeout" },
  {
    name: "a finally",
    source: "const f = () => { try { f() } finally { f() } }; f()",
    code: "timeout",
  },
  // Endless loops in functions of the interpreter.
  {
    name: "a regular expression",
    source: "return /^(a+)+$/.test('a'.repeat(40) + 'b')",
    code: "timeout",
  },
  { name: "repeat", source: "for (;;) 'x'.repeat(1e7)", code: "timeout" },
  {
    name: "search in a text",
    source: "for (;;) 'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b')",
    code: "timeout",
  },
  {
    name: "search in a list",
    source: "return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
    code: "timeout",
  },
  {
    name: "reverse",
    source: "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
    code: "timeout",
  },
  { name: "join", source: "return new Array(2 ** 31).join('')", code: "timeout" },
  { name: "sort", source: "[1, 2, 3].sort(() => { for (;;); })", code: "timeout" },
  {
    name: "a large integer",
    source: "for (;;) ((1n << 1000000n) - 1n).toString()",
    code: "timeout",
  },
  {
    name: "endless JSON",
    source: "const o = { toJSON() { return { a: o } } }; return o",
    code: "timeout",
  },
  // Memory.
  {
    name: "lists",
    source: "const a = []; for (;;) a.push(new Array(1000).fill(1.5))",
    code: "code_failed",
  },
  {
    name: "buffers",
    source: "const a = []; for (;;) a.push(new Uint8Array(1e6))",
    code: "code_failed",
  },
  { name: "one buffer", source: "new Uint8Array(2e9)", code: "code_failed" },
  {
    name: "a growing text",
    source: "let s = 'x'; for (;;) s = (s + s).normalize()",
    code: "code_failed",
  },
  {
    name: "a joined text",
    source: "return new Array(100).fill('x'.repeat(1e6)).join('').length",
    code: "code_failed",
  },
  {
    name: "a replacement",
    source: "return 'a'.repeat(1e6).replace(/a/g, '$`').length",
    code: "code_failed",
  },
  { name: "closures", source: "let f; for (;;) { const g = f; f = () => g }", code: "code_failed" },
  // Depth.
  { name: "recursion", source: "const f = (n) => f(n + 1) + 1; return f(0)", code: "code_failed" },
  { name: "deep JSON", source: "return JSON.parse('['.repeat(1e6))", code: "code_failed" },
  { name: "a deep source", source: "new Function('('.repeat(1e5))", code: "code_failed" },
  {
    name: "proxies",
    source: "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x",
    code: "code_failed",
  },
  {
    name: "a deep value",
    source: "let a = 1; for (let i = 0; i < 257; i++) a = [a]; return a",
    code: "code_failed",
  },
  // Results.
  { name: "a large result", source: "return 'x'.repeat(2e6)", code: "code_failed" },
  { name: "many values", source: "return new Array(100001).fill(0)", code: "code_failed" },
  { name: "a large error", source: "throw new Error('x'.repeat(3e7))", code: "code_failed" },
  { name: "a cycle", source: "const a = {}; a.a = a; return a", code: "code_failed" },
  { name: "a promise without end", source: "await new Promise(() => {})", code: "code_failed" },
  {
    name: "much output",
    source: "for (let i = 0; i < 1000; i++) console.log('x'.repeat(1e4)); return 1",
    code: null,
  },
  {
    name: "names of prototypes",
    source: 'return JSON.parse(\'{"__proto__":{"polluted":1}}\')',
    code: null,
  },
  {
    name: "replaced functions",
    source:
      "JSON.stringify = Promise.prototype.then = String.prototype.slice = null; Object.prototype.toJSON = undefined; console.log({}); return 1",
    code: null,
  },
  // What there is.
  {
    name: "globals",
    source:
      "const found = ['process', 'require', 'Bun', 'fetch', 'setTimeout', 'performance', 'WebAssembly', 'Atomics', 'std', 'os', 'read', 'print', 'finish'].filter((name) => name in globalThis); if (found.length > 0) throw found.join(); return 1",
    code: null,
  },
  { name: "modules", source: "await import('node:fs')", code: "code_failed" },
  {
    name: "constructors",
    source:
      "const run = console.log.constructor.constructor; if (run('return typeof process')() !== 'undefined') return 1; throw new Error(typeof run('return this')().Bun)",
    code: "code_failed",
  },
  {
    name: "the end of the wrapper",
    source: "}); globalThis.out = 1; (async function () { if (out !== 1) throw 1",
    code: null,
  },
];
