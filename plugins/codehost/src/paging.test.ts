import { describe, expect, test } from "bun:test";
import { describePage, toPageQuery } from "./paging.ts";

const describeWith = (headers: Record<string, string>, page = 1, perPage = 30) =>
  describePage({ page, per_page: perPage }, new Headers(headers));
const link = (query: string, rel: string) => `<https://api.github.com/x?${query}>; rel="${rel}"`;

describe("The requested page", () => {
  test.each([
    [{ per_page: 30, page: 1 }, { per_page: 30 }],
    [
      { per_page: 101, page: 2 },
      { per_page: 100, page: 2 },
    ],
    [
      { per_page: 1e30, page: 3 },
      { per_page: 100, page: 3 },
    ],
    [{ per_page: 0, page: 0 }, { per_page: 1 }],
    [{ per_page: -5, page: -5 }, { per_page: 1 }],
  ])("The params %j become the query %j", (params, query) => {
    expect(toPageQuery(params)).toEqual(query);
  });
});

describe("A list", () => {
  test("next_page comes from the Link header", () => {
    const header = [link("page=1&per_page=30", "prev"), link("per_page=30&page=3", "next")];
    expect(describeWith({ link: header.join(", ") }, 2)).toEqual({
      page: 2,
      has_more: true,
      next_page: 3,
    });
  });

  test("A list without a Link header has no next page", () => {
    expect(describeWith({})).toEqual({ page: 1, has_more: false });
    expect(describeWith({ link: link("page=1", "first") })).toMatchObject({ has_more: false });
  });

  test("next_page is a number even if the host uses cursors", () => {
    const header = { link: link("per_page=30&after=Y3Vyc29y", "next") };
    expect(describeWith(header, 4)).toMatchObject({ has_more: true, next_page: 5 });
  });

  test("A note says that per_page was above the maximum", () => {
    expect(describeWith({}, 1, 500).note).toContain("100 at most");
    expect(describeWith({}, 1, 100)).not.toHaveProperty("note");
  });

  test("A note says that items of an organization are hidden from the token", () => {
    const header = { "x-github-sso": "partial-results; organizations=21955855" };
    expect(describeWith(header).note).toContain("single sign-on");
  });
});
