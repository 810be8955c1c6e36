/** @jsxImportSource hono/jsx */
import type { Application } from "@hub/contract/application.ts";
import type { Identity } from "@hub/contract/identity.ts";
import type { Session } from "@hub/contract/session.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { Confirm } from "./confirm.tsx";
import { Page } from "./page.tsx";
import { Time } from "./time.tsx";

type ProfileProps = {
  signedIn: SignedIn;
  identities: readonly Identity[];
  sessions: readonly Session[];
  applications: readonly Application[];
};

export const profilePath = "/profile";

export function ProfilePage({ signedIn, identities, sessions, applications }: ProfileProps) {
  const { user } = signedIn;
  return (
    <Page title={user.name} signedIn={signedIn} here={profilePath}>
      <section class="card" aria-labelledby="you">
        <h2 id="you">You</h2>
        <dl>
          <dt>E-mail</dt>
          <dd>{user.email}</dd>
          <dt>Role</dt>
          <dd>{user.role}</dd>
          <dt>Tags</dt>
          <dd>
            {["everyone", ...user.tags].map((tag) => (
              <span class="tag">{tag}</span>
            ))}
          </dd>
          {identities.length > 0 && <dt>Single sign-on</dt>}
          {identities.map(({ issuer, email, last_used_at }) => (
            <dd>
              {email} at {new URL(issuer).host}, last used <Time at={last_used_at} />
            </dd>
          ))}
        </dl>
        {signedIn.hasPassword ? (
          <div class="actions">
            <a class="button quiet" href="/auth/password">
              Change password
            </a>
          </div>
        ) : (
          <p class="soft">
            You sign in with single sign-on and have no password. An admin can give you a one-time
            password.
          </p>
        )}
      </section>
      <ApplicationsCard signedIn={signedIn} applications={applications} />
      <SessionsCard signedIn={signedIn} sessions={sessions} />
    </Page>
  );
}

function ApplicationsCard({
  signedIn,
  applications,
}: Pick<ProfileProps, "signedIn" | "applications">) {
  return (
    <section class="card" aria-labelledby="applications">
      <h2 id="applications">Connected applications</h2>
      {applications.length === 0 && (
        <p class="soft">
          None. Applications that you allow are listed here. <a href="/profile/mcp">Connect one</a>.
        </p>
      )}
      {applications.length > 0 && (
        <table class="stack">
          <thead>
            <tr>
              <th>Name</th>
              <th>Redirects to</th>
              <th>Connected</th>
              <th>Last used</th>
              <th>
                <span class="hub-unseen">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {applications.map((application) => (
              <tr>
                <td data-label="Name">{application.name}</td>
                <td data-label="Redirects to">{application.destination}</td>
                <td data-label="Connected">
                  <Time at={application.connected_at} />
                </td>
                <td data-label="Last used">
                  <Time at={application.last_used_at} />
                </td>
                <td>
                  <Confirm
                    action={`${profilePath}/applications/${application.id}/revoke`}
                    csrfToken={signedIn.csrfToken}
                    name="Disconnect"
                    question="Its tokens stop working at once."
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function SessionsCard({ signedIn, sessions }: Pick<ProfileProps, "signedIn" | "sessions">) {
  const others = sessions.filter(({ id }) => id !== signedIn.sessionId);
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Signed-in browsers</h2>
      <table class="stack">
        <thead>
          <tr>
            <th>Browser</th>
            <th>Address</th>
            <th>Signed in</th>
            <th>Last seen</th>
            <th>
              <span class="hub-unseen">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr>
              <td data-label="Browser">{toBrowserName(session.user_agent)}</td>
              <td data-label="Address">{session.ip_address ?? "unknown"}</td>
              <td data-label="Signed in">
                <Time at={session.created_at} />
              </td>
              <td data-label="Last seen">
                <Time at={session.last_seen_at} />
              </td>
              <td>
                {session.id === signedIn.sessionId ? (
                  "this browser"
                ) : (
                  <Confirm
                    action={`${profilePath}/sessions/${session.id}/end`}
                    csrfToken={signedIn.csrfToken}
                    name="Sign out"
                    question="That browser is signed out at once."
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {others.length > 0 && (
        <Confirm
          action={`${profilePath}/sessions/end-others`}
          csrfToken={signedIn.csrfToken}
          name="Sign out everywhere else"
          question={`${others.length} other ${others.length === 1 ? "browser is" : "browsers are"} signed out at once.`}
        />
      )}
    </section>
  );
}

/** A short name by which users recognise their browser, such as `Firefox on Windows`. */
function toBrowserName(userAgent: string | null): string {
  if (userAgent === null) return "unknown";
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find([
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
  ]);
  const system = find([
    [/Android/, "Android"],
    [/iPhone|iPad/, "iOS"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux/, "Linux"],
  ]);
  if (browser === undefined) return userAgent.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}
