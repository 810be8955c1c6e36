/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { FoundSection } from "../../docs/search-docs.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { Page } from "../pages/page.tsx";
import { helpPath, toHelpPath } from "./help-path.ts";
import type { RenderedPage } from "./render-markdown.ts";

type HelpProps = { signedIn: SignedIn; page: RenderedPage; hubVersion: string };

/** Pages with fewer sections have no list of them. */
const contentsMin = 3;

/** A page of the documentation. */
export function HelpPage({ signedIn, page, hubVersion }: HelpProps) {
  const { title, html, contents } = page;
  return (
    <Page title={title} signedIn={signedIn} here={helpPath}>
      <SearchBox value="" />
      {contents.length >= contentsMin && (
        <nav class="card" aria-label="On this page">
          <details>
            <summary>On this page</summary>
            <ul class="contents">
              {contents.map(({ title, anchor, level }) => (
                <li class={`level-${level}`}>
                  <a href={`#${anchor}`}>{title}</a>
                </li>
              ))}
            </ul>
          </details>
        </nav>
      )}
      {/* Made by the Markdown parser, which escapes HTML. */}
      <article class="doc">{raw(html)}</article>
      <p class="soft">
        Hub {hubVersion}. <a href={helpPath}>All pages</a>
      </p>
    </Page>
  );
}

type FoundProps = { signedIn: SignedIn; query: string; found: readonly FoundSection[] };

/** The sections of the documentation that match words. */
export function FoundPage({ signedIn, query, found }: FoundProps) {
  return (
    <Page title="Documentation" signedIn={signedIn} here={helpPath}>
      <SearchBox value={query} />
      {found.length === 0 && (
        <p role="status">
          No section has these words. Try others, or see <a href={helpPath}>all pages</a>.
        </p>
      )}
      <ul class="found">
        {found.map(({ topic, page, section, anchor, snippet }) => (
          <li class="card">
            <a href={`${toHelpPath(topic)}${anchor === "" ? "" : `#${anchor}`}`}>
              {section === page ? page : `${page}: ${section}`}
            </a>
            <p class="soft">{snippet}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function SearchBox({ value }: { value: string }) {
  return (
    <search>
      <form class="help-search" method="get" action={helpPath}>
        <label class="away" for="help-q">
          Search the documentation
        </label>
        <input
          id="help-q"
          name="q"
          type="search"
          value={value}
          placeholder="Search the documentation"
          maxlength={200}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
