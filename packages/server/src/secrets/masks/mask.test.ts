import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { parseJson, toJsonText } from "@hub/connector";
import fc from "fast-check";
import { amount } from "../../lib/testing/amount.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import { checkMasking, maskingCases } from "../testing/masking-properties.ts";
import { echoes } from "../testing/secret-echoes.ts";
import { findValue, openJson, openText, sealValue } from "../value-tokens/value-tokens.ts";
import { createMask } from "./mask.ts";
import { createRowSecrets } from "./row-secrets.ts";

const ring = createKeyRing([new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const strangerId = "00000000-0000-4000-8000-00000000ad10";
const seal = (text: string) => sealValue(ring, { userId, rowId: null }, text);
const open = (text: string) => openText(ring, { userId, rowId: null }, text);

function maskOf(...secrets: string[]) {
  const mask = createMask({ ring, userId, enabled: true });
  for (const secret of secrets) mask.addSecret(secret);
  return mask;
}

describe("the owner of a secret", () => {
  const rowId = "0d9c3f1e-7a54-4b1c-9d42-5a6b7c8d9e0f";
  const rowSecret = "the-row's-own-secret";
  const opensAsUsers = (token: string) => findValue(ring, { userId, rowId: null }, token) !== null;

  function maskOfRow() {
    const mask = createMask({ ring, userId, enabled: true });
    mask.bindRow(rowId);
    return mask;
  }

  test("A text that was found around an opened value leaves the row's secret to the row", () => {
    const mask = maskOfRow();
    mask.addSecret(rowSecret, { ofRow: true });
    mask.addSecret(rowSecret, { ofRow: false, isDerived: true });
    expect(opensAsUsers(mask.sealText(rowSecret))).toBe(false);
    mask.addSecret(rowSecret);
    expect(opensAsUsers(mask.sealText(rowSecret))).toBe(true);
  });

  test("A text that was found before the row's secrets were known becomes the row's", () => {
    const mask = maskOfRow();
    mask.addSecret(rowSecret, { ofRow: false, isDerived: true });
    expect(opensAsUsers(mask.sealText(rowSecret))).toBe(true);
    mask.addSecret(rowSecret, { ofRow: true });
    expect(opensAsUsers(mask.sealText(rowSecret))).toBe(false);
  });
});

describe("sealText", () => {
  test.each([
    ["quotes and backslashes", 'pa"ss\\word'],
    ["characters that HTML-safe encoders escape", "<a&b>'c'"],
    ["control characters", "a\tb\u0001c\nd"],
    ["line separators", "a\u2028b\u2029c"],
    ["regular expression characters", "a.*+?^$" + "{}()|[]"],
    ["replacement patterns", "$& $1 $`"],
    ["characters beyond the first plane", "пароль🔑𐀀"],
    ["four characters", "abcd"],
    ["JSON text", '{"a":[1,"b"]}'],
  ])("A secret of %s becomes a token that opens to the exact text (trap 1)", (_name, secret) => {
    const text = `before ${secret} between ${secret}`;
    const sealed = maskOf(secret).sealText(text);
    expect(sealed).toBe(`before ${seal(secret)} between ${seal(secret)}`);
    expect(open(sealed)).toBe(text);
  });

  describe.each([
    ["plain letters", "s3cretValue"],
    ["all special characters", "a\"b\\c/d<e>f&g'h+i j%41k=é🔑\n\u2028?>~"],
  ])("the echo of a secret with %s", (_name, secret) => {
    const fitting = echoes.filter(({ suits }) => suits?.(secret) !== false);
    const parts = fitting.filter(({ isWhole }) => !isWhole);
    const wholes = fitting.filter(({ isWhole }) => isWhole);

    test("Many echoes are tried", () => {
      expect(parts.length).toBeGreaterThan(40);
      expect(wholes.length).toBeGreaterThan(30);
    });

    test.each(
      parts,
    )("The echo as $name becomes a token of exactly the matched characters (trap 1)", ({
      write,
    }) => {
      const form = write(secret, "", "");
      const sealed = maskOf(secret).sealText(`x=${form}; y`);
      expect(sealed).toBe(`x=${seal(form)}; y`);
    });

    test.each(wholes)("The echo as $name is replaced, and opening restores the text (trap 1)", ({
      write,
    }) => {
      for (const before of ["", "u", "us", "use", "user"]) {
        const form = write(secret, before, ":rest");
        const sealed = maskOf(secret).sealText(form);
        expect(sealed).toContain("hub_enc_");
        expect(open(sealed)).toBe(form);
        expect(withoutTokens(sealed)).not.toMatch(/[\w+/-]{16}/);
      }
    });
  });

  test.each([
    ["\u{1f511}-key-of-the-door?", 0xff, "/ and _"],
    ["\u20ac-price-of-the-door?", 0xff, "+ and - before it"],
    ["\u20ac-price-of-the-door?", 0xbf, "+ and - after it"],
    ["\u20ac-price-of-the-door?", 0xef, "+ and - after it"],
  ])("A character that base64 shares between the secret and its neighbour is sealed too: %s beside %d, %s", (secret, beside) => {
    const size = Buffer.byteLength(secret);
    const mask = maskOf(secret);
    for (const before of [1, 2, 3]) {
      for (const after of [1, 2, 3]) {
        const bytes = Buffer.alloc(before + size + after, beside);
        bytes.write(secret, before);
        for (const encoding of ["base64", "base64url"] as const) {
          const text = bytes.toString(encoding);
          const from = Math.floor((before * 8) / 6);
          const to = Math.ceil(((before + size) * 8) / 6);
          const sealed = mask.sealText(text);
          expect(sealed.slice(0, from)).toBe(text.slice(0, from));
          expect(sealed.slice(from, from + 8)).toBe("hub_enc_");
          expect(sealed.endsWith(text.slice(to))).toBeTrue();
          const token = sealed.slice(from, sealed.length - (text.length - to));
          expect(open(token)).toBe(text.slice(from, to));
        }
      }
    }
  });

  test("Base64 is sealed from the first to the last character with a bit of the secret", () => {
    const secret = "s3cret?>value";
    for (let before = 0; before < 7; before += 1) {
      for (let after = 0; after < 4; after += 1) {
        const bytes = Buffer.from("\u007f".repeat(before) + secret + "~".repeat(after));
        for (const encoding of ["base64", "base64url"] as const) {
          const text = bytes.toString(encoding);
          const start = Math.floor((before * 8) / 6);
          const end = Math.ceil(((before + secret.length) * 8) / 6);
          expect(maskOf(secret).sealText(`= ${text}`)).toBe(
            `= ${text.slice(0, start)}${seal(text.slice(start, end))}${text.slice(end)}`,
          );
        }
      }
    }
  });

  test.each([
    ["as it is stored", "\n\n      s3cretValue      \n\n"],
    ["without the blanks around it", "s3cretValue"],
  ])("A secret in base64 inside base64 is found %s", (_, echo) => {
    const encode = (text: string) => Buffer.from(text).toString("base64");
    const text = encode(encode(`user:${echo}`));
    const sealed = maskOf("\n\n      s3cretValue      \n\n").sealText(`= ${text}`);
    expect(withoutTokens(sealed)).not.toMatch(/[\w+/]{16}/);
    expect(open(sealed)).toBe(`= ${text}`);
  });

  test.each([
    ["a UUID", "6F1E0B9A-3c4d-4e5f-8a6b-7c8d9e0f1a2b"],
    ["a hex key", "0123456789ABCDEF"],
  ])("The secret %s is found in any case, also with blanks around it", (_, secret) => {
    for (const given of [secret, ` ${secret}\n`]) {
      for (const echo of [secret, secret.toLowerCase(), secret.toUpperCase()]) {
        expect(maskOf(given).sealText(`= ${echo}!`)).toBe(`= ${seal(echo)}!`);
      }
    }
  });

  test("Similar base64 of another text is not changed", () => {
    // The inner characters match; the bits of the secret in the outer ones do not.
    const other = Buffer.from("xxabcdefgh").toString("base64");
    expect(maskOf("yabcdefg").sealText(other)).toBe(other);
  });

  test("A list of the characters of a secret becomes a token of the secret", () => {
    const mask = maskOf("s3cretValue");
    const sealed = mask.sealJson({ list: ["a", ..."s3cretValue", "z", 1], plain: [..."other"] });
    expect(sealed).toEqual({ list: ["a", seal("s3cretValue"), "z", 1], plain: [..."other"] });
  });

  test("Compressed data is expanded to a few times the length of the text only (attack)", () => {
    const bomb = gzipSync(`${" ".repeat(1_000_000)}s3cretValue`).toString("base64");
    expect(maskOf("s3cretValue").sealText(`data: ${bomb};`)).not.toContain("hub_enc_");
    const small = gzipSync(`${" ".repeat(50_000)}s3cretValue`).toString("base64");
    expect(maskOf("s3cretValue").sealText(`data: ${small};`)).toBe(`data: ${seal(small)};`);
  });

  test.each([
    ["with other line breaks", "line one\nline two", "line one\r\nline two"],
    ["with other line breaks", "line one\r\nline two", "line one\nline two"],
    ["trimmed", " s3cretValue\n", "s3cretValue"],
    ["percent-encoded", "pa ss/wörd", "pa%20ss%2Fw%C3%B6rd"],
    ["within JSON", 'pa"ss\nword', String.raw`pa\"ss\nword`],
    ["within JSON as PHP writes it", "pä/ssword", String.raw`p\u00e4\/ssword`],
    ["within JSON as Go writes it", "pa<ss>word", String.raw`pa\u003css\u003eword`],
    ["within a form", "pa ss&word", "pa+ss%26word"],
  ])("A secret in base64 %s is found", (_name, secret, form) => {
    const text = Buffer.from(form).toString("base64url");
    expect(maskOf(secret).sealText(`= ${text}`)).toBe(`= ${seal(text)}`);
  });

  test.each([
    ["percent", "to<ken%", "to%3Cken%", "00"],
    ["percent and a digit", "to<ken%4", "to%3Cken%4", "1"],
    ["backslash", "to*ken\\", "to\\*ken\\", "n"],
    ["ampersand", "to<ken&", "to&lt;ken&", "lt;"],
  ])("A secret that ends in a %s is masked when the text after it completes an escape", (_name, secret, echo, after) => {
    const sealed = maskOf(secret).sealText(`= ${echo}${after}`);
    expect(sealed).not.toContain(echo.slice(0, -2));
    expect(open(sealed)).toBe(`= ${echo}${after}`);
  });

  test("Hex of fewer than eight characters is too common and stays", () => {
    const hexOf = (text: string) => Buffer.from(text).toString("hex");
    expect(maskOf("seven77").sealText(`id ${hexOf("seven77")}`)).toBe(`id ${hexOf("seven77")}`);
    const eight = hexOf("eight888");
    expect(maskOf("eight888\n").sealText(`0${eight}f`)).toBe(`0${seal(eight)}f`);
  });

  test("A secret in base64 with line breaks and indentation is found", () => {
    const base64 = Buffer.from(`intro ${"s3cretValue".repeat(4)} end`).toString("base64");
    const text = `data: |\n  ${base64.replace(/.{16}/g, "$&\n  ")}`;
    const sealed = maskOf("s3cretValue".repeat(4)).sealText(text);
    expect(sealed).toContain("hub_enc_");
    expect(open(sealed)).toBe(text);
  });

  test("A key of several lines is found with other line breaks, and without any", () => {
    const pem = "-----BEGIN KEY-----\nQUJDREVGR0g=\nSUpLTE1OT1A=\n-----END KEY-----\n";
    const mask = maskOf(pem);
    for (const breaks of ["\r\n", "\\n", "\\r\\n", "\\\\n", "\n    ", ""]) {
      const text = `key: ${pem.trim().replaceAll("\n", breaks)}`;
      const sealed = mask.sealText(text);
      expect(sealed).toBe(`key: ${seal(text.slice(5))}`);
    }
  });

  test("A secret that is short without the spaces around it is found in base64 of UTF-16", () => {
    const text = Buffer.from("\ufeff\t%3;\net", "utf16le").toString("base64");
    const sealed = maskOf("\t%3;\n").sealText(text);
    expect(sealed).toContain("hub_enc_");
    expect(open(sealed)).toBe(text);
  });

  test("A secret that was pasted with spaces around it is found without them", () => {
    const mask = maskOf(" s3cretValue\n", "ab \n");
    expect(mask.sealText("Bearer s3cretValue")).toBe(`Bearer ${seal("s3cretValue")}`);
    expect(mask.sealText("ab")).toBe(seal("ab"));
    expect(mask.sealText("abc")).toBe("abc");
  });

  test("The text of a secret with its escapes removed is not masked", () => {
    const mask = maskOf("%41%42%43%44", "&lt;&gt;&lt;&gt;");
    expect(mask.sealText("ABCD and <><> in 100%25 &amp; more")).toBe(
      "ABCD and <><> in 100%25 &amp; more",
    );
    expect(mask.sealText("%41%42%43%44")).toBe(seal("%41%42%43%44"));
  });

  test("The longest match is sealed, in every order of adding", () => {
    for (const secrets of [
      ["hunter", "hunter22"],
      ["hunter22", "hunter"],
    ]) {
      const sealed = maskOf(...secrets).sealText("hunter22 hunter hunter2");
      expect(sealed).toBe(`${seal("hunter22")} ${seal("hunter")} ${seal("hunter")}2`);
    }
  });

  test("Overlapping secrets leave no remainder, and adjacent secrets become separate tokens", () => {
    const mask = maskOf("abcdef", "defghi");
    expect(mask.sealText("-abcdefghi-")).toBe(`-${seal("abcdefghi")}-`);
    expect(mask.sealText("-abcdefabcdef-")).toBe(`-${seal("abcdef")}${seal("abcdef")}-`);
  });

  test("The mask never changes a token of this user, even if a part of it equals a secret", () => {
    const token = seal("something else");
    const mask = maskOf(token.slice(25, 31), token.slice(-4), "hub_", "s3cretValue");
    const text = `s3cretValue${token}s3cretValue ${token.slice(-4)} hub_`;
    const sealed = mask.sealText(text);
    expect(sealed).toBe(
      `${seal("s3cretValue")}${token}${seal("s3cretValue")} ${seal(token.slice(-4))} ${seal("hub_")}`,
    );
    expect(mask.sealText(sealed)).toBe(sealed);
  });

  test("A secret that is itself a token stays that token", () => {
    const token = seal("inner");
    expect(maskOf(token).sealText(`Bearer ${token}`)).toBe(`Bearer ${token}`);
    expect(maskOf(token).sealJson([token])).toEqual([token]);
  });

  test("A server cannot hide a secret in a fake token", () => {
    const secret = "s3cretValue_in_plain_view";
    const mask = maskOf(secret);
    const real = sealValue(ring, { userId, rowId: null }, "x".repeat(60));
    const forgeries = [
      // A real header with the secret instead of the ciphertext.
      `${real.slice(0, 20)}${secret}${real.slice(20 + secret.length)}`,
      // The same with base64 of the secret.
      `${real.slice(0, 20)}${Buffer.from(secret.repeat(3)).toString("base64url").slice(0, 101)}`,
      // A fake header around a real token and the secret.
      `${real.slice(0, 20)}${seal("y")}${secret}${"z".repeat(60)}`,
      // Another user's token with the secret inserted.
      sealValue(ring, { userId: strangerId, rowId: null }, "x".repeat(60)).replace(
        /(.{40}).{26}/,
        `$1${secret}`,
      ),
    ];
    for (const forged of forgeries) {
      const text = `see ${forged}`;
      const sealed = mask.sealText(text);
      expect(sealed).not.toBe(text);
      expect(withoutTokens(sealed)).not.toContain(secret);
      expect(withoutTokens(sealed)).not.toContain(Buffer.from(secret).toString("base64url"));
    }
    const wrapped = mask.sealText(forgeries[2] ?? "");
    expect(wrapped).toContain(seal("y"));
  });

  test("Fake tokens around tokens cost no more than the length of the text", () => {
    const header = Buffer.from(seal("x").slice(8, 20), "base64url");
    const secret = "s3cretValue";
    const count = 30_000;
    // Each of them encloses all that follows, including the secret.
    const forged = Array.from({ length: count }, (_, index) => {
      header.writeUInt32BE(Math.floor(((20 * (count - index) + 3) * 6) / 8) - 9, 5);
      return `hub_enc_${header.toString("base64url")}`;
    }).join("");
    expect(maskOf(secret).sealText(forged + secret)).toBe(forged + seal(secret));
  });

  test("A text that begins with the prefix as normal text is restored by opening", () => {
    const text = "hub_enc_s3cretValue and hub_enc_ab-s3cretValue";
    const sealed = maskOf("s3cretValue").sealText(text);
    expect(withoutTokens(sealed)).not.toContain("s3cretValue");
    expect(open(sealed)).toBe(text);
  });

  test("Lone surrogates cause no error", () => {
    const mask = maskOf("ab\ud800cd", "\udc00\udc00\udc00\udc00");
    expect(mask.sealText("x ab\ud800cd y")).toBe(`x ${seal("ab\ud800cd")} y`);
    expect(mask.sealText("x ab\ufffdcd y")).toBe(`x ${seal("ab\ufffdcd")} y`);
    expect(mask.sealText("\ud800 \udc00")).toBe("\ud800 \udc00");
  });

  test("A text without a secret is returned unchanged", () => {
    const text = "nothing \\u0041 %41 &amp; + hub_enc_ here\n";
    expect(maskOf("s3cretValue", "with space").sealText(text)).toBe(text);
    expect(maskOf().sealText(text)).toBe(text);
    expect(maskOf("").sealText(text)).toBe(text);
  });
});

describe("secrets with ignored case", () => {
  const maskIgnoringCase = (...secrets: string[]) => {
    const mask = maskOf();
    for (const secret of secrets) mask.addSecretIgnoreCase(secret);
    return mask;
  };

  test("A secret with ignored case is found in any case, and its token has the case of the text", () => {
    const mask = maskIgnoringCase("Host.Example");
    const text = "host.example HOST.EXAMPLE hOsT.eXaMpLe host-example";
    const sealed = mask.sealText(text);
    expect(sealed).toBe(
      `${seal("host.example")} ${seal("HOST.EXAMPLE")} ${seal("hOsT.eXaMpLe")} host-example`,
    );
    expect(open(sealed)).toBe(text);
  });

  test("Characters whose lower case is longer do not shift the match", () => {
    const mask = maskIgnoringCase("geheim");
    expect(mask.sealText("İİİ GEHEIM İ")).toBe(`İİİ ${seal("GEHEIM")} İ`);
    expect(maskIgnoringCase("İstanbul").sealText("x İSTANBUL")).toBe(`x ${seal("İSTANBUL")}`);
    expect(maskIgnoringCase("ΣΊΣΥΦΟΣ").sealText("σίσυφος!")).toBe(`${seal("σίσυφος")}!`);
  });

  test("A secret with ignored case is found in escapes, and in base64 as given, in upper case and in lower case", () => {
    const mask = maskIgnoringCase("Pass/Word");
    expect(mask.sealText("?p=PASS%2fword")).toBe(`?p=${seal("PASS%2fword")}`);
    for (const form of ["Pass/Word", "PASS/WORD", "pass/word"]) {
      const base64 = Buffer.from(`ab${form}`).toString("base64");
      expect(open(mask.sealText(base64))).toBe(base64);
      expect(mask.sealText(base64)).toContain("hub_enc_");
    }
  });

  test("Short secrets are masked as whole values, also with ignored case", () => {
    expect(maskIgnoringCase("aBc").sealJson(["ABC", "xabc", { abc: 1 }])).toEqual([
      seal("ABC"),
      "xabc",
      { abc: 1 },
    ]);
  });

  test("Other secrets are found in their exact case only", () => {
    const mask = maskIgnoringCase("hostname");
    mask.addSecret("s3cretValue");
    expect(mask.sealText("S3CRETVALUE HOSTNAME")).toBe(`S3CRETVALUE ${seal("HOSTNAME")}`);
  });
});

describe("sealJson", () => {
  test("Secrets in long lists of characters and of bytes are replaced", () => {
    const mask = maskOf("s3cretValue");
    const padding = 1_200_000;
    const characters = Array(padding)
      .fill("a")
      .concat([..."s3cretValue"], "z");
    const sealed = mask.sealJson(characters);
    if (!Array.isArray(sealed)) throw new Error("no list");
    expect(sealed).toHaveLength(padding + 2);
    expect(open(sealed[padding])).toBe("s3cretValue");
    expect(sealed[padding + 1]).toBe("z");
    const bytes = Array(padding)
      .fill(97)
      .concat([...Buffer.from("s3cretValue")], 122);
    expect(mask.sealJson(bytes)).toHaveLength(padding + 2);
  });

  test("A secret of fewer than four characters is masked as a whole value only (trap 1)", () => {
    const mask = maskOf("id", "7", '"', "a,b");
    const value = { id: "id", n: 7, list: [77, "7", "id7", '"', "a,b", "a,b,c"], 7: true };
    expect(mask.sealJson(value)).toEqual({
      id: seal("id"),
      n: seal("7"),
      list: [77, seal("7"), "id7", seal('"'), seal("a,b"), "a,b,c"],
      7: true,
    });
  });

  test("A secret is masked in keys, and the JSON stays valid (trap 1)", () => {
    const secret = 'k"e\\y<';
    const sealed = maskOf(secret).sealJson({ [secret]: 1, [`x ${secret}`]: [{ [secret]: 2 }] });
    expect(sealed).toEqual({
      [seal(secret)]: 1,
      [`x ${seal(secret)}`]: [{ [seal(secret)]: 2 }],
    });
  });

  test("A number whose digits are a secret becomes a token; true, false and null never do", () => {
    const mask = maskOf("12345678901234567890", "-4.25", "1e400", "42", "true", "null", "false");
    const value = parseJson(
      '[12345678901234567890, 12345678901234567891000, -4.25, 4.25, 1e400, 42, 142, true, false, null, "true"]',
    );
    expect(toJsonText(mask.sealJson(value))).toBe(
      toJsonText([
        seal("12345678901234567890"),
        JSON.rawJSON("12345678901234567891000"),
        seal("-4.25"),
        4.25,
        seal("1e400"),
        seal("42"),
        142,
        true,
        false,
        null,
        seal("true"),
      ]),
    );
    expect(mask.sealJson(12345678901234567890n)).toBe(seal("12345678901234567890"));
  });

  test("A number that lost some digits or zeros of a secret is masked", () => {
    const mask = maskOf("12345678901234567890", "0071234", "1234.50", "0001");
    expect(mask.sealJson(JSON.parse("12345678901234567890"))).toBe(seal("12345678901234567000"));
    expect(mask.sealJson([71234, 1234.5, 1, 10])).toEqual([seal("71234"), seal("1234.5"), 1, 10]);
  });

  test("Parts without a secret keep their identity", () => {
    const clean = { a: [1, "two", { three: null }] };
    const value = { clean, dirty: { deep: ["s3cretValue"] } };
    const mask = maskOf("s3cretValue");
    const sealed = mask.sealJson(value);
    expect(Reflect.get(Object(sealed), "clean")).toBe(clean);
    expect(mask.sealJson(clean)).toBe(clean);
    expect(value.dirty.deep).toEqual(["s3cretValue"]);
    expect(openJson(ring, { userId, rowId: null }, sealed)).toEqual(value);
  });

  test("If a key becomes a token that already exists as a key, both members remain", () => {
    const token = seal("s3cretValue");
    expect(maskOf("s3cretValue").sealJson({ s3cretValue: 1, [token]: 2 })).toEqual({
      [`${token}-2`]: 1,
      [token]: 2,
    });
  });

  test("A secret that is added later is masked from then on, and a duplicate counts once", () => {
    const mask = maskOf("s3cretValue");
    expect(mask.sealText("s3cretValue other-one")).toBe(`${seal("s3cretValue")} other-one`);
    mask.addSecret("other-one");
    mask.addSecret("other-one");
    mask.addSecretIgnoreCase("OTHER-one");
    expect(mask.sealText("pin")).toBe("pin");
    mask.addSecret("pin");
    expect(mask.sealText("pin")).toBe(seal("pin"));
    expect(mask.sealText("s3cretValue other-one")).toBe(
      `${seal("s3cretValue")} ${seal("other-one")}`,
    );
  });

  test("A connector that passes a secret which is not a text gets an error", () => {
    const mask = maskOf("s3cretValue");
    expect(() => Reflect.apply(mask.addSecret, mask, [undefined])).toThrow(TypeError);
    expect(() => Reflect.apply(mask.addSecretIgnoreCase, mask, [12345])).toThrow(TypeError);
    expect(mask.sealText("s3cretValue")).toBe(seal("s3cretValue"));
  });

  test("With masking disabled (HUB_ENC_DISABLE), nothing is changed", () => {
    const mask = createMask({ ring, userId, enabled: false });
    mask.addSecret("s3cretValue");
    const value = { s3cretValue: ["s3cretValue"] };
    expect(mask.sealJson(value)).toBe(value);
    expect(mask.sealText("s3cretValue")).toBe("s3cretValue");
  });

  const slowMachineMs = 60_000;
  test(
    "Property: no echo remains, JSON stays valid, other data is unchanged, and opening restores everything",
    () => {
      const property = fc.property(maskingCases, (given) => !checkMasking(given).isLeftOut);
      fc.assert(property, { seed: 20_261_120, numRuns: amount(50, 200) });
    },
    slowMachineMs,
  );
});

function withoutTokens(text: string): string {
  return text.replaceAll(/hub_enc_[\w-]{12,}/g, (run) => {
    try {
      open(run);
      return "";
    } catch {
      return run;
    }
  });
}

describe("the secrets of a row", () => {
  const rowId = "0191f5a0-0000-7000-8000-000000000001";
  // A short text and a number are found only as whole values.
  const texts = ["s3cretValue", "k1", "8154711"];

  /** A mask with these secrets of a row, and the number of times their needles were used. */
  function openRowMask() {
    const mask = createMask({ ring, userId, enabled: true });
    mask.bindRow(rowId);
    const prepared = createRowSecrets(texts);
    let uses = 0;
    const needles = () => {
      uses += 1;
      return prepared.needles();
    };
    mask.addRowSecrets({ ...prepared, needles });
    return { mask, countUses: () => uses };
  }

  test.each([
    ["alone", []],
    ["beside a value of the user", ["another value"]],
  ])("Tokens of the secrets of a row open only in calls of that row: %s", (_, others) => {
    const { mask } = openRowMask();
    for (const other of others) mask.addSecret(other);
    const sealed = mask.sealJson(["= s3cretValue", "k1", 8154711]);
    const text = JSON.stringify(sealed);
    expect(text.match(/hub_enc_/g)).toHaveLength(3);
    expect(() => openJson(ring, { userId, rowId: null }, sealed)).toThrow("secret of a row");
    expect(openJson(ring, { userId, rowId }, sealed)).toEqual(["= s3cretValue", "k1", "8154711"]);
    const otherCases = ["= S3CRETVALUE", "K1"];
    expect(mask.sealJson(otherCases)).toEqual(otherCases);
  });

  test("A secret of a row that is added again leaves the prepared needles of the row in use", () => {
    const { mask, countUses } = openRowMask();
    for (const text of texts) mask.addSecret(text, { ofRow: true });
    expect(mask.sealText("= s3cretValue")).toMatch(/^= hub_enc_[\w-]+$/);
    expect(countUses()).toBe(1);
  });

  test("The kind of a secret does not change if the caller sends its text again", () => {
    const mask = maskOf("s3cretValue");
    mask.addSecret("s3cretValue", { ofRow: true });
    mask.addSecret("s3cretValue", { isFromCaller: true });
    expect(mask.listSecrets()).toEqual([{ text: "s3cretValue", ignoreCase: false, ofRow: false }]);
  });
});
