import { describe, expect, test } from "bun:test";
import { cutText } from "./cut-text.ts";

const secret = 'p"ss wörd-0123456789';

describe("a cut text", () => {
  const forms: Array<[string, string]> = [
    ["in plaintext", secret],
    ["in JSON", JSON.stringify(secret)],
    ["in a URL", encodeURIComponent(secret)],
    ["in hex", Buffer.from(secret).toString("hex")],
    ["in upper-case hex", Buffer.from(secret).toString("hex").toUpperCase()],
    ...["", "a", "ab", "Bearer "].flatMap(
      (before): Array<[string, string]> => [
        [`in base64 after "${before}"`, Buffer.from(before + secret).toString("base64")],
        [`in base64url after "${before}"`, Buffer.from(before + secret).toString("base64url")],
      ],
    ),
  ];
  test.each(forms)("a cut text contains no half of a secret %s", (_how, form) => {
    const text = `xxxx${form} and more`;
    const whole = 4 + form.length;
    for (let charsMax = 0; charsMax < whole - 3; charsMax += 1) {
      const cut = cutText(text, charsMax, ["other-secret", `${secret}\n`]);
      // At most a part of the text before the secret remains in the form.
      expect(cut.length).toBeLessThan(16);
      expect(text).toStartWith(cut);
    }
    expect(cutText(text, whole + 1, [secret])).toBe(text.slice(0, whole + 1));
  });

  test("A cut moves back again if it lands in another secret", () => {
    expect(cutText("xx secret-ab-tail yy", 15, ["secret-ab", "ab-tail"])).toBe("xx ");
  });

  test("A cut does not split characters, and a text at the limit is not cut", () => {
    expect(cutText("abc🌍", 4, [])).toBe("abc");
    expect(cutText("abc🌍", 5, [])).toBe("abc🌍");
  });

  test("A secret of one character does not shorten the text", () => {
    expect(cutText("aaaa bbbb", 6, ["b", ""])).toBe("aaaa b");
  });
});
