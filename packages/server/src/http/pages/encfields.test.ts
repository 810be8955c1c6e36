import { expect, test } from "bun:test";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { newUser } from "../../store/test-data.ts";
import { DecryptPage, EncryptPage } from "./encfields.tsx";

const signedIn: SignedIn = {
  sessionId: "s1",
  csrfToken: "c",
  mustChangePassword: false,
  freshAt: 0,
  hasPassword: true,
  // The page does not show the other members.
  user: newUser({ id: "u1" }) as SignedIn["user"],
};

test.each([
  ["encrypt", EncryptPage],
  ["decrypt", DecryptPage],
])("The %s page keeps the value from spell checkers, which may send it to a server", (_, page) => {
  const html = String(page({ signedIn, result: null, fault: null }));
  expect(html).toMatch(/<textarea[^>]* spellcheck="false"[^>]*autocapitalize="off"/);
  expect(html).toMatch(/<form[^>]* autocomplete="off"/);
});

test("The encrypt page has an alert only if the value was refused", () => {
  const show = (fault: string | null) => String(EncryptPage({ signedIn, result: null, fault }));
  expect(show(null)).not.toContain("value-error");
  expect(show("Too long.")).toMatch(/id="value-error" role="alert">\s*Too long\./);
});
