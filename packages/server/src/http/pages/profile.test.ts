import { expect, test } from "bun:test";
import type { Application } from "@hub/contract/application.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { newUser } from "../../store/test-data.ts";
import { ProfilePage } from "./profile.tsx";

const signedIn: SignedIn = {
  sessionId: "s1",
  csrfToken: "c",
  mustChangePassword: false,
  freshAt: 0,
  hasPassword: true,
  // The page does not show the other members.
  user: newUser({ id: "u1" }) as SignedIn["user"],
};
const application: Application = {
  id: crypto.randomUUID(),
  user: "ada@example.com",
  name: "Desk",
  client_id: "c1",
  destination: "the user's computer",
  connected_at: "2026-11-20T09:42:00.000Z",
  last_used_at: null,
  expires_at: "2026-12-20T09:42:00.000Z",
};

test("The profile page shows times to the minute, in UTC", () => {
  const page = String(
    ProfilePage({ signedIn, identities: [], sessions: [], applications: [application] }),
  );
  expect(page).toContain('<time datetime="2026-11-20T09:42:00.000Z">2026-11-20 09:42 UTC</time>');
  expect(page).toContain("never");
});

test("The profile page has a table of applications only if the user connected one", () => {
  const show = (applications: Application[]) =>
    String(ProfilePage({ signedIn, identities: [], sessions: [], applications }));
  const columns = "Redirects to";
  expect(show([])).toContain("None. Applications that you allow are listed here.");
  expect(show([])).not.toContain(columns);
  expect(show([application])).toContain(columns);
  expect(show([application])).not.toContain("None.");
});
