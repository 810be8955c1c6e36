/** Protects: a form with files is read as it was sent, and a hostile one cannot hold the hub or shift its parts. */
import { describe, expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { checkMultipart, readMultipart } from "./read-multipart.ts";

const boundary = "XboundaryX";
const field = (disposition: string, value: string, type?: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ""}\r\n${value}\r\n`;
const end = `--${boundary}--\r\n`;
const toBytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

function read(text: string | Uint8Array, given = boundary) {
  const raw = typeof text === "string" ? toBytes(text) : text;
  checkMultipart(raw, given);
  return JSON.parse(JSON.stringify(readMultipart(raw, given, () => {})));
}

function refuse(text: string | Uint8Array, given: string | null = boundary): HubError {
  try {
    checkMultipart(typeof text === "string" ? toBytes(text) : text, given);
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown;
    throw thrown;
  }
  throw new Error("Not refused");
}

const file = (filename: string | null, type: string | null, bytes: string) => ({
  filename,
  content_type: type,
  bytes_base64: Buffer.from(bytes, "latin1").toString("base64"),
});

describe("What is read", () => {
  test("Fields are text, and files have their name, type and bytes", () => {
    const body = [
      field('name="email"', "ann@x.example"),
      field('name="doc"; filename="a.txt"', "\xff\x00\xfe", "text/plain"),
    ];
    expect(read(body.join("") + end)).toEqual({
      email: "ann@x.example",
      doc: file("a.txt", "text/plain", "\xff\x00\xfe"),
    });
  });

  test.each([
    ["an empty field", field('name="a"', ""), { a: "" }],
    ["a line break in a field", field('name="a"', "x\r\ny"), { a: "x\r\ny" }],
    [
      "an empty file",
      field('name="a"; filename=""', "", "application/octet-stream"),
      { a: file("", "application/octet-stream", "") },
    ],
    ["a file without a type", field('name="a"; filename="x"', "1"), { a: file("x", null, "1") }],
    ["a repeated name", field('name="a"', "1") + field('name="a"', "2"), { a: ["1", "2"] }],
    ["a part of JSON", field('name="a"', '{"b":1}', "application/json"), { a: '{"b":1}' }],
    [
      "a binary part without a file name",
      field('name="a"', "\x89P", "image/png"),
      { a: file(null, "image/png", "\x89P") },
    ],
    [
      "a charset of a part",
      field('name="a"', "caf\xe9", "text/plain; charset=iso-8859-1"),
      { a: "café" },
    ],
    [
      "an encoded file name",
      field("name=\"a\"; filename*=UTF-8''%e2%82%ac.txt", "1"),
      { a: file("€.txt", null, "1") },
    ],
    [
      "quotes and semicolons in names",
      field('name="a\\"b;c"; filename="x;y=\\"z\\""', "1"),
      { 'a"b;c': file('x;y="z"', null, "1") },
    ],
    [
      "a name of a prototype",
      field('name="__proto__"', "1") + field('name="constructor"', "2"),
      JSON.parse('{"__proto__":"1","constructor":"2"}'),
    ],
    [
      "a path as file name",
      field('name="a"; filename="../../etc/passwd"', "1"),
      { a: file("../../etc/passwd", null, "1") },
    ],
    [
      "the boundary within a line of a file",
      field('name="a"', `x--${boundary}--y`),
      { a: `x--${boundary}--y` },
    ],
    [
      "a nested body with another boundary",
      field('name="a"', "--inner\r\n\r\nx\r\n--inner--", "multipart/mixed; boundary=inner"),
      { a: file(null, "multipart/mixed; boundary=inner", "--inner\r\n\r\nx\r\n--inner--") },
    ],
    ["something after the end", field('name="a"', "1") + end + field('name="b"', "2"), { a: "1" }],
    ["no part", "", {}],
  ])("%s", (_, body, value) => {
    expect(read(body + end)).toEqual(value);
  });

  test("Bun's own forms are read as they were made", async () => {
    const form = new FormData();
    form.set("email", "ann@x.example");
    form.set("größe", "naïve ✓");
    form.append(
      "doc",
      new File([Uint8Array.from([0xff, 0x00, 0xfe])], "a b.bin", { type: "image/png" }),
    );
    const sent = new Response(form);
    const [, given = ""] = /boundary="?([^";]+)/.exec(sent.headers.get("content-type") ?? "") ?? [];
    expect(read(await sent.bytes(), given)).toEqual({
      email: "ann@x.example",
      größe: "naïve ✓",
      doc: file("a b.bin", "image/png", "\xff\x00\xfe"),
    });
  });
});

describe("What is refused", () => {
  const good = field('name="a"', "1");

  test.each([
    ["no boundary", good + end, null],
    ["an empty boundary", "----\r\n", ""],
    ["a boundary of 71 characters", good + end, "x".repeat(71)],
    ["a boundary with a line break", good + end, "a\r\nb"],
    ["a boundary with other letters", good + end, "bé"],
    ["a boundary that ends with a space", good + end, "a "],
    ["another boundary", good + end, "other"],
    ["nothing", "", boundary],
    ["something before the first boundary", `x\r\n${good}${end}`, boundary],
    ["no end", good, boundary],
    ["an end that is cut", `${good}--${boundary}-`, boundary],
    ["no header", `--${boundary}\r\n\r\n1\r\n${end}`, boundary],
    [
      "headers without an end",
      `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n${end}`,
      boundary,
    ],
    ["line feeds alone", (good + end).replaceAll("\r\n", "\n"), boundary],
    ["a longer boundary inside", field('name="a"', `1\r\n--${boundary}Y\r\nz`) + end, boundary],
    ["a part without a name", field('filename="a"', "1") + end, boundary],
    ["a disposition that is no form", (good + end).replace("form-data", "attachment"), boundary],
    ["names that are not UTF-8", field('name="\xe9"', "1") + end, boundary],
    ["a part in UTF-16", field('name="a"', "x", "text/plain; charset=utf-16") + end, boundary],
    ["1,001 parts", good.repeat(1001) + end, boundary],
    ["100,000 boundaries", `--${boundary}\r\n`.repeat(100_000) + end, boundary],
    ["a header of 5 KiB", field(`name="${"a".repeat(5000)}"`, "1") + end, boundary],
    [
      "headers of 65 KiB together",
      field(`name="a"; x="${"b".repeat(3000)}"`, "1").repeat(22) + end,
      boundary,
    ],
  ])("%s", (_, body, given) => {
    expect(refuse(body, given).code).toBe("bad_request");
  });

  test("an unknown charset of a part, with its name", () => {
    const { code, message } = refuse(field('name="a"', "1", "text/plain; charset=utf-7") + end);
    expect([code, message]).toEqual(["unsupported_media_type", expect.stringContaining('"utf-7"')]);
  });

  test("a body that is made of the end of its boundary", () => {
    const evil = `a${"-".repeat(69)}`;
    const head = `--${evil}\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\n`;
    const raw = Buffer.concat([
      Buffer.from(head),
      Buffer.alloc(10 * 1024 * 1024, "-"),
      Buffer.from(`\r\n--${evil}--\r\n`),
    ]);
    expect(refuse(raw, evil).message).toContain("too often");
  });
});

describe("What many parts cost together", () => {
  test("Boundaries without headers after them are refused at the first one", () => {
    const parts = `--${boundary}\r\na\r\n`.repeat(3);
    expect(refuse(`${parts}${end}`).message).toContain("headers do not end");
  });

  test("Parts in other charsets have one limit together", () => {
    const part = (name: string) =>
      field(`name="${name}"`, "a".repeat(600 * 1024), "text/plain; charset=shift_jis");
    expect(() => checkMultipart(toBytes(part("a") + end), boundary)).not.toThrow();
    expect(refuse(part("a") + part("b") + end).code).toBe("body_too_large");
  });

  test("Parts that are not valid UTF-8 are decoded exactly up to one limit together", () => {
    // The decoder writes one U+FFFD for the two bytes, and the fast way writes two.
    const broken = "\xe3\x81".repeat(300 * 1024);
    const sent = read(field('name="a"', broken) + field('name="b"', broken) + end);
    expect([sent.a.length, sent.b.length]).toEqual([300 * 1024, 600 * 1024]);
  });
});
