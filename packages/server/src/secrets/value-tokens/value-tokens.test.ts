import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { isWholeAmount } from "../../lib/testing/amount.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import {
  createOpener,
  findValue,
  listLargeTokens,
  openInPortions,
  openJson,
  openText,
  openValue,
  sealValue,
  type TokenOwner,
} from "./value-tokens.ts";

// Thousands of tokens are opened, which is slow on a busy machine.
setDefaultTimeout(180_000);

const keyOne = Uint8Array.from({ length: 32 }, (_, index) => index);
const keyTwo = Uint8Array.from({ length: 32 }, (_, index) => index + 32);
const ring = createKeyRing([keyOne, keyTwo]);
const alice = { userId: "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b", rowId: null };
const bob = { userId: "00000000-0000-4000-8000-00000000ad10", rowId: null };
const rowOne = "3f0c7c1e-2222-4c4c-8d8d-0123456789ab";
const rowTwo = "fedcba98-7654-4321-8fed-cba987654321";
const token = sealValue(ring, alice, "hunter2");
const bound = sealValue(ring, inRow(alice, rowOne), "hunter2");
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Created by another implementation (Python's `cryptography` 48, which uses OpenSSL). Tokens of
 * users must always open, also after changes of this code.
 */
const known: Array<[key: Uint8Array, owner: TokenOwner, text: string, token: string]> = [
  [keyOne, alice, "x", "hub_enc_AUcFwjAAAAARmYC9mTj1LAO4r80IYsReQQo"],
  [keyOne, alice, "hunter2", "hub_enc_AUcFwjAAAAAXMVVZs_f92ImFxk-a4zKZ7QS9S5dUwGk"],
  [keyOne, alice, "pässwörd 🔑", "hub_enc_AUcFwjAAAAAfvzokZHzSB-RLR86xm0wQCYI6XoLRnFq2yAmMMTXLeQ"],
  [
    keyOne,
    alice,
    "\ufeffBOM and\nlines\n",
    "hub_enc_AUcFwjAAAAAhIrurMdRFPybFJlzFyXo-B9hjY9ziND-ZOJtapd92ScaE",
  ],
  [
    keyOne,
    bob,
    "ghp_0123456789012345678901234567890123456789",
    "hub_enc_AUcFwjAAAAA8GhyEnEgf6C9SYZw9jmjldP-8t_fyCxDqQ2GV53SFBFz4XDnVl0okJxeE-_O0J4EfbMVnb8L49VlKMmgl",
  ],
  [keyTwo, bob, "hunter2", "hub_enc_ASu3o3oAAAAXuVMjCAlzL62gmEy8HRp1dF2CWFaNySM"],
  [keyOne, inRow(alice, rowOne), "x", "hub_enc_AkcFwjAAAAAR5g6-0s9QcN9ekDRb8x4m6Ls"],
  [keyOne, inRow(alice, rowOne), "hunter2", "hub_enc_AkcFwjAAAAAXBi43523VkTkgBjMxWkEh6BHGwi1vIfg"],
  [keyOne, inRow(alice, rowTwo), "hunter2", "hub_enc_AkcFwjAAAAAXbz4_BXbKMrDGsRRacnH5JBYjgarFHVs"],
  [keyOne, inRow(bob, rowOne), "hunter2", "hub_enc_AkcFwjAAAAAXHm_RdZikP7g1rnCn_oXPDxutL7tnc9s"],
  [keyTwo, inRow(alice, rowOne), "hunter2", "hub_enc_Aiu3o3oAAAAX88N7YJOKksUPOAPMNJDKtVrqYPgmyls"],
  [
    keyOne,
    inRow(alice, rowOne),
    "pässwörd 🔑",
    "hub_enc_AkcFwjAAAAAf2O_gXYRw6MXIhCTOJhh9BrEU2hOLnfxYrESHh6vtsw",
  ],
  [
    keyTwo,
    inRow(bob, rowTwo),
    "ghp_0123456789012345678901234567890123456789",
    "hub_enc_Aiu3o3oAAAA8Q0BWAgS-hlocUmEA_582eRxslY2wnWNO2WmOzWJOzSbT3IjTG2fOHAqKkyFhlEa7v0aOmJMlNnKVPNFU",
  ],
];

describe("sealValue and openValue", () => {
  test.each(known)("Known answer %#: %j, %j", (key, owner, text, expected) => {
    const own = createKeyRing([key]);
    expect(sealValue(own, owner, text)).toBe(expected);
    expect(openValue(own, owner, expected)).toBe(text);
  });

  test("Equal values of one user have equal tokens, so that a model can compare them (trap 7)", () => {
    expect(sealValue(ring, alice, "hunter2")).toBe(token);
    expect(sealValue(ring, alice, "hunter3")).not.toBe(token);
  });

  test("The first key seals, and tokens of all keys of the ring open (trap 6)", () => {
    const old = sealValue(createKeyRing([keyTwo]), alice, "hunter2");
    expect(old).not.toBe(token);
    expect(openValue(ring, alice, old)).toBe("hunter2");
  });

  test("The case of letters in a user id does not matter, other changes do", () => {
    const upper = { userId: alice.userId.toUpperCase(), rowId: null };
    expect(sealValue(ring, upper, "hunter2")).toBe(token);
    expect(() => sealValue(ring, { ...alice, userId: "alice" }, "hunter2")).toThrow("not a UUID");
    expect(() => sealValue(ring, inRow(alice, "1"), "hunter2")).toThrow("not a UUID");
  });

  describe.each([
    ["one byte", "x", alice],
    ["seven bytes", "hunter2", alice],
    ["eight bytes", "hunter22", alice],
    ["nine bytes", "hunter2é", alice],
    ["seven bytes, bound to a row", "hunter2", inRow(alice, rowOne)],
  ])("a token of %s, with or without unused bits in the last character", (_name, text, owner) => {
    const good = sealValue(ring, owner, text);
    // As a whole value, inside a credential, and with token characters behind it.
    const places = [
      (changed: string) => changed,
      (changed: string) => `Bearer ${changed}`,
      (changed: string) => `Bearer ${changed} and more`,
      (changed: string) => `x=${changed}-prod`,
    ];

    const strangers = ["=", "+", "/", ".", " ", "\n", "é", "\u200b"];
    /** Those of which one bit differs. In `.ci/nightly`, every character of the alphabet for two of the tokens. */
    const listChanges = (character: string) => {
      const value = alphabet.indexOf(character);
      if ((isWholeAmount && text === "hunter2") || value === -1) return [...alphabet];
      return [1, 2, 4, 8, 16, 32].map((bit) => alphabet.charAt(value ^ bit));
    };
    /** Whether an index is in the six characters that identify the key. */
    const isAtStart = (index: number) => index >= 8 && index < 14;

    test("Every change of a single character is refused, including the prefix", () => {
      expect(good.length).toBeGreaterThan(40);
      for (let index = 0; index < good.length; index += 1) {
        for (const character of [...listChanges(good.charAt(index)), ...strangers]) {
          const altered = good.slice(0, index) + character + good.slice(index + 1);
          if (altered === good) continue;
          expectInvalid(() => openValue(ring, owner, altered));
          // A sample is enough here, because the parser is the same.
          if ((index + alphabet.indexOf(character)) % 8 > 0) continue;
          // If the token ends this early, too little of it remains to recognize it.
          if (strangers.includes(character) && isAtStart(index)) continue;
          for (const place of places) expectInvalid(() => openText(ring, owner, place(altered)));
        }
      }
    });

    test("Every lost and every doubled character is refused", () => {
      expect(good.length).toBeGreaterThan(40);
      for (let index = 0; index < good.length; index += 1) {
        const lost = good.slice(0, index) + good.slice(index + 1);
        const doubled = good.slice(0, index) + good.slice(index, index + 1) + good.slice(index);
        for (const altered of [lost, doubled]) {
          if (altered === good) continue;
          expectInvalid(() => openValue(ring, owner, altered));
          // Before the prefix and after the end, the result is a token with text beside it.
          if (altered.includes(good)) continue;
          // The shortest token is then too short to be recognized by its length.
          if (altered.length < 43 && isAtStart(index)) continue;
          for (const place of places) expectInvalid(() => openText(ring, owner, place(altered)));
        }
      }
    });

    test("Every truncation is refused; with text around it, from the sixth character on", () => {
      for (let end = 0; end < good.length; end += 1) {
        const cut = good.slice(0, end);
        expectInvalid(() => openValue(ring, owner, cut));
        if (end >= "hub_enc_".length) expectInvalid(() => openText(ring, owner, cut));
        // A shorter part does not identify a key.
        if (end < "hub_enc_".length + 6) continue;
        for (const rest of ["", " and more", "…", "...", "\n"]) {
          expectInvalid(() => openText(ring, owner, `Bearer ${cut}${rest}`));
        }
      }
      for (let start = 1; start <= "hub_enc_".length; start += 1) {
        expectInvalid(() => openText(ring, owner, `Bearer ${good.slice(start)}`));
      }
    });

    test("A token with text behind it is not one token, but a token with text beside it", () => {
      for (const character of [...alphabet, "=", "+", "/", ".", " ", "é"]) {
        expectInvalid(() => openValue(ring, owner, good + character));
        expectInvalid(() => openValue(ring, owner, character + good));
        expect(openText(ring, owner, good + character)).toBe(text + character);
        expect(openText(ring, owner, character + good)).toBe(character + text);
      }
    });

    test("A token opens neither for another user nor with a ring that does not have its key", () => {
      const removed = createKeyRing([keyTwo]);
      expectInvalid(() => openValue(ring, inRow(bob, rowOne), good));
      expectInvalid(() => openValue(removed, owner, good));
      for (const place of places) {
        expectInvalid(() => openText(ring, inRow(bob, rowOne), place(good)));
        expectInvalid(() => openText(removed, owner, place(good)));
      }
    });
  });

  test("A value has one canonical token: extra bits, padding and the other alphabet are refused", () => {
    // 7 + 16 + 9 bytes leave two unused bits in the last character.
    const last = alphabet.indexOf(token.slice(-1));
    for (const unusedBits of [1, 2, 3]) {
      const spelled = token.slice(0, -1) + alphabet.charAt(last | unusedBits);
      expectInvalid(() => openValue(ring, alice, spelled));
      expectInvalid(() => openText(ring, alice, spelled));
    }
    expectInvalid(() => openValue(ring, alice, `${token}=`));
    expectInvalid(() => openValue(ring, alice, token.replace("_f", "/f")));
    expectInvalid(() => openValue(ring, alice, ` ${token}`));
  });

  test("The error says what to do and nothing about the value", () => {
    const failure = catchError(() => openValue(ring, bob, token));
    expect(failure.message).toContain("hub's encrypt page");
    expect(failure.message).toContain("hub_encrypt");
    expect(failure.message).not.toContain(token);
    expect(failure.cause).toBeUndefined();
  });

  test("An empty value has no token", () => {
    expect(catchError(() => sealValue(ring, alice, "")).code).toBe("bad_request");
    expect(findValue(ring, alice, "")).toBeNull();
  });

  test("A lone surrogate is sealed as the replacement character, as in every encoder", () => {
    expect(openValue(ring, alice, sealValue(ring, alice, "a\ud800b"))).toBe("a\ufffdb");
  });
});

describe("a token that is bound to a row", () => {
  const inRowOne = inRow(alice, rowOne);

  test("A token of a row opens in calls of its row, whole and embedded, and in no other call", () => {
    expect(openText(ring, inRowOne, `Bearer ${bound}-prod`)).toBe("Bearer hunter2-prod");
    for (const owner of [inRow(alice, rowTwo), inRow(bob, rowOne), alice, bob]) {
      for (const text of [bound, `Bearer ${bound}-prod`, `${token}${bound}`]) {
        expectInvalid(() => openText(ring, owner, text));
      }
      expect(findValue(ring, owner, bound)).toBeNull();
    }
  });

  test("If a token of a row does not open, the error says why and what to do", () => {
    for (const owner of [alice, inRow(alice, rowTwo)]) {
      const failure = catchError(() => openText(ring, owner, `Bearer ${bound}`));
      expect(failure.message).toContain(
        "it is a secret of a row and works only in calls of that row",
      );
      expect(failure.message).not.toContain(bound);
    }
  });

  test("Changing the version of a token does not change its owner", () => {
    const asUsers = bound.replace("_enc_Ak", "_enc_AU");
    const asRows = token.replace("_enc_AU", "_enc_Ak");
    for (const owner of [alice, inRowOne]) {
      expect(findValue(ring, owner, asUsers)).toBeNull();
      expect(findValue(ring, owner, asRows)).toBeNull();
    }
  });

  test("A token of a row can be used together with tokens of the user, which open in calls of every row", () => {
    expect(openText(ring, inRowOne, `${token} ${bound}`)).toBe("hunter2 hunter2");
    const opened: unknown[] = [];
    const open = createOpener(ring, inRowOne, (text, { ofRow }) => opened.push([text, ofRow]));
    expect(open(`see ${token}`)).toEqual({ text: "see hunter2", ofRow: false });
    expect(open(`see ${bound} ${token}`)).toEqual({ text: "see hunter2 hunter2", ofRow: true });
    expect(opened).toEqual([
      ["hunter2", false],
      ["hunter2", true],
    ]);
  });

  test("A token of a row opens as long as its key is in the ring, whichever key seals", () => {
    const rotated = createKeyRing([keyTwo, keyOne]);
    expect(openText(rotated, inRowOne, bound)).toBe("hunter2");
    expectInvalid(() => openText(createKeyRing([keyTwo]), inRowOne, bound));
    expect(sealValue(rotated, inRowOne, "hunter2")).not.toBe(bound);
  });
});

describe("openText", () => {
  test.each([
    [`Bearer ${token}`, "Bearer hunter2"],
    [`${token}-prod`, "hunter2-prod"],
    [`${token}AAAA`, "hunter2AAAA"],
    [`https://user:${token}@host/?a=${token}`, "https://user:hunter2@host/?a=hunter2"],
    [`${token}${token}`, "hunter2hunter2"],
    [`hub_enc_${token}`, "hub_enc_hunter2"],
    [`hub_enc_ab-${token}-cd`, "hub_enc_ab-hunter2-cd"],
    [`hub_${token}`, "hub_hunter2"],
    [`é🔑${token}🔑é`, "é🔑hunter2🔑é"],
  ])("Every token in %j is opened (trap 3)", (text, expected) => {
    expect(openText(ring, alice, text)).toBe(expected);
  });

  test.each([
    "hub_enc_ values are credentials",
    "hub_enc_<base64url>",
    "a token looks like hub_enc_…",
    "use hub_enc_VALUE here",
    "hub_enc and HUB_ENC_KEY",
    // A header of version 1 with an unknown key, too short for a token.
    "see hub_enc_AQAAAAAAAAAX.",
    // Too short to identify a key of the ring.
    `see ${token.slice(0, 13)} and ${token.slice(0, 13)}.`,
    // The beginning of a header without its prefix, and a header with an unknown key.
    `see ${token.slice(8, 19)} and AQAAAAAAAAAX.`,
  ])("Text that only mentions tokens is not changed: %j", (text) => {
    expect(openText(ring, alice, text)).toBe(text);
  });

  test.each([
    ["a whole string that is a prefix only", "hub_enc_"],
    ["a whole string of token characters", "hub_enc_my-secret"],
    ["a long run without a header", `see hub_enc_${"z".repeat(35)}`],
    ["the header of another version", `see ${token.replace("_enc_AU", "_enc_Ak")}`],
    ["a header of a version that is not known here", `see ${token.replace("_enc_AU", "_enc_A0")}`],
    ["a bound token's header without its prefix", `see ${bound.slice(8, 20)}`],
    ["a bound token behind a prefix in another case", `see HUB_ENC_${bound.slice(8)}`],
    ["a bound token's header and nothing behind it", `${bound.slice(0, 20)} x`],
    ["a header with a key of the ring and nothing behind it", `${token.slice(0, 20)} x`],
    ["a header without its prefix", `see ${token.slice(8, 20)}`],
    ["a token behind a prefix in another case", `see HUB_ENC_${token.slice(8)}`],
    ["a token with a hole in its header", `see ${token.slice(0, 16)} ${token.slice(16)}`],
    ["a token with a hole", `see ${token.slice(0, 30)} ${token.slice(30)}`],
  ])("A broken token is refused: %s", (_name, text) => {
    expectInvalid(() => openText(ring, alice, text));
  });

  test("Each opened plaintext is reported", () => {
    const opened: string[] = [];
    const open = createOpener(ring, alice, (plaintext) => opened.push(plaintext));
    open(`a ${token} b ${sealValue(ring, alice, "two")}`);
    expect(opened).toEqual(["hunter2", "two"]);
  });

  test("The time is proportional to the text, even if many fake headers enclose all of it", () => {
    const header = Buffer.from(token.slice(8, 20), "base64url");
    header.writeUInt32BE(0x7fffffff, 5);
    const forged = `see hub_enc_${header.toString("base64url")}`.repeat(20_000);
    expectInvalid(() => openText(ring, alice, forged.replaceAll("see ", "")));
    expectInvalid(() => openText(ring, alice, forged));
  });
});

describe("openJson", () => {
  test("A repeated token is opened once", () => {
    const opened: string[] = [];
    const value = [token, `${token} ${token}`, { again: token }];
    openJson(ring, alice, value, (plaintext) => opened.push(plaintext));
    expect(opened).toEqual(["hunter2"]);
  });

  test("Strings are opened at any depth, in arrays and objects, and keys are not changed (trap 3)", () => {
    const value = { a: [{ b: [`Bearer ${token}`, 1] }], [token]: null };
    expect(openJson(ring, alice, value)).toEqual({
      a: [{ b: ["Bearer hunter2", 1] }],
      [token]: null,
    });
  });

  test("Parts without a token keep their identity, and the input is never modified", () => {
    const value = { plain: { list: [1, "two", null, true] }, sealed: [token] };
    const before = structuredClone(value);
    const opened = openJson(ring, alice, value);
    expect(opened).toHaveProperty("plain", value.plain);
    expect(Reflect.get(Object(opened), "plain")).toBe(value.plain);
    expect(value).toEqual(before);
    expect(openJson(ring, alice, value.plain)).toBe(value.plain);
  });
});

function inRow({ userId }: TokenOwner, rowId: string): TokenOwner {
  return { userId, rowId };
}

function expectInvalid(run: () => unknown): void {
  expect(catchError(run).code).toBe("token_invalid");
}

function catchError(run: () => unknown): HubError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown;
    throw thrown;
  }
  throw new Error("Nothing was thrown");
}

describe("openInPortions", () => {
  test("Few tokens are opened in one go, and many in portions between which others work", async () => {
    const few = Array.from({ length: 20 }, (_, index) => sealValue(ring, alice, `value ${index}`));
    expect(listLargeTokens({ few })).toBeNull();
    const many = Array.from({ length: 40 }, (_, index) =>
      sealValue(ring, alice, `${index}`.repeat(5_000)),
    );
    const tokens = listLargeTokens({ text: JSON.stringify(many), list: [many] });
    expect(tokens?.size).toBe(40);
    let turns = 0;
    const found: string[] = [];
    const opened = await openInPortions(ring, alice, tokens ?? new Set(), {
      onOpened: (plaintext) => found.push(plaintext),
      async yieldTurn() {
        turns += 1;
      },
    });
    expect(opened.size).toBe(40);
    expect(found[39]).toBe("39".repeat(5_000));
    // 64 KiB of tokens a portion, and the tokens have some 500 KB.
    expect(turns).toBeGreaterThan(5);
  });

  test("A plaintext that is refused ends the work before all tokens are opened", async () => {
    const tokens = new Set(
      Array.from({ length: 40 }, (_, index) => sealValue(ring, alice, `${index}`.repeat(5_000))),
    );
    let opened = 0;
    const work = openInPortions(ring, alice, tokens, {
      onOpened() {
        opened += 1;
        if (opened === 3) throw new HubError("invalid_params", "Too much.");
      },
      yieldTurn: async () => {},
    });
    await expect(work).rejects.toMatchObject({ code: "invalid_params" });
    expect(opened).toBe(3);
  });

  test("A token of a text that is too long to be opened in one go is refused", () => {
    const token = sealValue(ring, alice, "x".repeat(1_600_000));
    expect(() => openText(ring, alice, token)).toThrow("at most 500000 characters");
  });
});
