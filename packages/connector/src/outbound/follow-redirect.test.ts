import { describe, expect, test } from "bun:test";
import { findRedirect, followRedirect } from "./follow-redirect.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundRequest } from "./outbound-request.ts";

function createRequest(changes: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    url: new URL("https://api.test/v1/things"),
    method: "GET",
    headers: new Headers({
      accept: "application/json",
      "accept-language": "en",
      authorization: "Bearer t",
      cookie: "c=1",
      "user-agent": "hub",
      "x-api-key": "k",
    }),
    body: null,
    redirect: "follow",
    scope: null,
    ...changes,
  };
}

function createPost(): OutboundRequest {
  const request = createRequest({ method: "POST", body: new TextEncoder().encode("{}") });
  request.headers.set("content-type", "application/json");
  return request;
}

const names = (request: OutboundRequest) => [...request.headers.keys()].sort();

describe("which answers count as redirects", () => {
  test("An answer is a redirect if it has a redirect status and a location", () => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(findRedirect(createRequest(), { status, location: "/x" })).not.toBeNull();
      expect(findRedirect(createRequest(), { status, location: undefined })).toBeNull();
    }
    for (const status of [200, 201, 300, 304, 305]) {
      expect(findRedirect(createRequest(), { status, location: "/x" })).toBeNull();
    }
  });

  test("Redirects are not followed if the caller wants to see them", () => {
    const request = createRequest({ redirect: "manual" });
    expect(findRedirect(request, { status: 302, location: "/x" })).toBeNull();
  });
});

describe("the headers of the next request", () => {
  test("Headers are kept on a redirect within one origin", () => {
    const next = followRedirect(createRequest(), { status: 302, location: "../v2?x=1" });
    expect(next.url.href).toBe("https://api.test/v2?x=1");
    expect(names(next)).toEqual(names(createRequest()));
  });

  const elsewhere = ["https://other.test/", "https://api.test:8443/", "//other.test/"];
  for (const location of elsewhere) {
    test(`The headers for ${location} contain no credential`, () => {
      const next = followRedirect(createRequest(), { status: 302, location });
      expect(names(next)).toEqual(["accept", "accept-language", "user-agent"]);
    });
  }

  const scope = new URL("https://api.test/v1");
  const outside = [
    "/v2/things",
    "../v2",
    "/v1x",
    "/v1/%2e%2e/v2",
    "/v1/..%2fv2",
    "/v1/%252e%252e/v2",
    "/v1/..;/v2",
    "/",
  ];
  for (const location of outside) {
    test(`The headers for ${location}, which is outside the request's scope, contain no credential`, () => {
      const next = followRedirect(createRequest({ scope }), { status: 302, location });
      expect(names(next)).toEqual(["accept", "accept-language", "user-agent"]);
      const post = { ...createPost(), scope };
      expect(() => followRedirect(post, { status: 307, location })).toThrow(/with a body/);
    });
  }

  test("Headers are kept on a redirect below the request's base path", () => {
    for (const location of ["/v1", "/v1/other?x=../y", "things/7", "/v2/../v1/x"]) {
      const next = followRedirect(createRequest({ scope }), { status: 302, location });
      expect(names(next)).toEqual(names(createRequest()));
    }
  });

  test("A body, which can contain secrets, is not sent to another origin", () => {
    for (const status of [307, 308]) {
      const redirect = { status, location: "https://other.test/" };
      expect(() => followRedirect(createPost(), redirect)).toThrow(
        /redirects a request with a body/,
      );
    }
    const asGet = followRedirect(createPost(), { status: 303, location: "https://other.test/" });
    expect([asGet.method, asGet.body]).toEqual(["GET", null]);
  });

  test("The headers of the original request do not change", () => {
    const request = createRequest();
    followRedirect(request, { status: 302, location: "https://other.test/" });
    expect(request.headers.get("authorization")).toBe("Bearer t");
  });
});

describe("the method of the next request", () => {
  const methodAfter = (method: string, status: number) => {
    const next = followRedirect({ ...createPost(), method }, { status, location: "/x" });
    return `${next.method}${next.body === null ? "" : " with body"}`;
  };

  test("The method is GET after a 303", () => {
    expect(methodAfter("PUT", 303)).toBe("GET");
    expect(methodAfter("DELETE", 303)).toBe("GET");
    expect(
      followRedirect(createRequest({ method: "HEAD" }), { status: 303, location: "/" }).method,
    ).toBe("HEAD");
  });

  test("The method is GET after a POST with 301 or 302, without the headers of the body", () => {
    expect(methodAfter("POST", 301)).toBe("GET");
    expect(methodAfter("POST", 302)).toBe("GET");
    expect(names(followRedirect(createPost(), { status: 302, location: "/x" }))).not.toContain(
      "content-type",
    );
  });

  test("The method is kept after other redirects", () => {
    expect(methodAfter("PUT", 302)).toBe("PUT with body");
    expect(methodAfter("POST", 307)).toBe("POST with body");
    expect(methodAfter("POST", 308)).toBe("POST with body");
  });
});

describe("a redirect from https to http", () => {
  const location = "http://api.test/";

  test("A redirect from https to http is refused if the call has a credential or a body", () => {
    expect(() => followRedirect(createRequest(), { status: 302, location })).toThrow(OutboundError);
    const headers = new Headers({ accept: "*/*" });
    const put = createRequest({ method: "PUT", headers, body: new Uint8Array(1) });
    expect(() => followRedirect(put, { status: 302, location })).toThrow(/sent unencrypted/);
  });

  test("A redirect from https to http is followed without credential and body", () => {
    const request = createRequest({ headers: new Headers({ accept: "*/*" }) });
    expect(followRedirect(request, { status: 302, location }).url.href).toBe(location);
  });
});

test("An invalid location is refused", () => {
  const redirect = { status: 302, location: "http://[" };
  expect(() => followRedirect(createRequest(), redirect)).toThrow(/not valid/);
});

test("A caller that wants no redirects gets an error", () => {
  const request = createRequest({ redirect: "error" });
  expect(() => followRedirect(request, { status: 302, location: "/x" })).toThrow(/does not follow/);
});
