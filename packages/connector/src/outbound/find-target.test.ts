import { describe, expect, test } from "bun:test";
import { findTarget } from "./find-target.ts";
import { OutboundError } from "./outbound-error.ts";
import { type OutboundPolicy, toOutboundRules } from "./outbound-policy.ts";

/** The result for a URL: the addresses to connect to, or the code of the refusal. */
async function visit(
  url: string,
  names: Record<string, string[]> = {},
  policy: Partial<OutboundPolicy> = {},
): Promise<string[] | string> {
  const rules = toOutboundRules({ savedHosts: [], allow: [], ...policy });
  const resolve = async (name: string) => {
    const found = names[name];
    if (found === undefined) throw new Error(`unexpected look-up of ${name}`);
    return found;
  };
  try {
    return (await findTarget({ rules, resolve }, new URL(url))).addresses;
  } catch (thrown) {
    if (thrown instanceof OutboundError) return `${thrown.code}: ${thrown.message}`;
    throw thrown;
  }
}

describe("an address in a URL", () => {
  const loopback = ["127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1"];
  for (const host of [...loopback, "127.0.0.1.", "①②⑦.0.0.1", "[::1]", "[::ffff:127.0.0.1]"]) {
    test(`${host} is refused as loopback`, async () => {
      expect(await visit(`http://${host}/`)).toContain("a loopback address");
    });
  }

  for (const host of ["0", "10.0.0.1", "[fd00::1]", "[64:ff9b::a00:1]", "[2002:a00:1::]"]) {
    test(`${host} is refused`, async () => {
      expect(await visit(`https://${host}/`)).toStartWith("blocked: ");
    });
  }

  test("A public address in a URL is used unchanged", async () => {
    expect(await visit("https://8.8.8.8/")).toEqual(["8.8.8.8"]);
    expect(await visit("https://[2606:4700:4700::1111]/")).toEqual(["2606:4700:4700::1111"]);
  });
});

describe("a host name", () => {
  test("A name is called at the addresses that were checked", async () => {
    const names = { "api.test": ["8.8.8.8", "2606:4700:4700::1111"] };
    expect(await visit("https://api.test/", names)).toEqual(["8.8.8.8", "2606:4700:4700::1111"]);
    expect(await visit("https://API.test./", names)).toEqual(["8.8.8.8", "2606:4700:4700::1111"]);
  });

  test("A name with a private address is refused, and the error does not show the address", async () => {
    const answer = await visit("https://api.test/", { "api.test": ["10.9.8.7"] });
    expect(answer).toStartWith("blocked: api.test (port 443) leads to a private address");
    expect(answer).toContain("HUB_OUTBOUND_ALLOW");
    expect(answer).not.toContain("10.9.8.7");
  });

  test("A name with one private address among public ones is refused", async () => {
    const names = { "api.test": ["8.8.8.8", "127.0.0.1"] };
    expect(await visit("https://api.test/", names)).toStartWith("blocked: ");
  });

  test("A name that is saved in the row may have a private address", async () => {
    const names = { "git.lan": ["10.0.0.5"] };
    const saved = { savedHosts: ["git.lan"] };
    expect(await visit("http://git.lan/", names, saved)).toEqual(["10.0.0.5"]);
    expect(await visit("http://git.lan:22/", names, saved)).toStartWith("blocked: ");
  });

  test("A name is allowed if all its private addresses are allowed", async () => {
    const names = { "git.lan": ["10.0.0.5", "192.168.0.5"] };
    expect(await visit("http://git.lan/", names, { allow: ["10.0.0.0/8"] })).toStartWith("blocked");
    const both = { allow: ["10.0.0.0/8", "192.168.0.5"] };
    expect(await visit("http://git.lan/", names, both)).toEqual(["10.0.0.5", "192.168.0.5"]);
  });

  test("The error for a name without addresses says so", async () => {
    expect(await visit("http://none.test/", { "none.test": [] })).toStartWith("dns: No address");
    expect(await visit("http://unknown.test/")).toStartWith("dns: No address");
  });

  test("A name is refused if the resolver returns something other than addresses", async () => {
    const names = { "odd.test": ["127.1"] };
    expect(await visit("http://odd.test/", names)).toStartWith("blocked: ");
  });
});

describe("a metadata service is refused, even if it is saved or allowed", () => {
  const addresses = ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16"];
  const embedded = ["[::ffff:169.254.169.254]", "[64:ff9b::169.254.169.254]", "[2002:a9fe:a9fe::]"];
  for (const host of [
    ...addresses,
    ...embedded,
    "169.254.170.2",
    "2852039166",
    "0251.0376.169.254",
  ]) {
    test(host, async () => {
      const url = `http://${host}/latest/meta-data/`;
      const policy = { savedHosts: [new URL(url).host], allow: ["0.0.0.0/0", "::/0"] };
      expect(await visit(url, {}, policy)).toContain("metadata service");
    });
  }

  test("A metadata service is refused by its name", async () => {
    const policy = {
      savedHosts: ["metadata.google.internal"],
      allow: ["metadata.google.internal"],
    };
    for (const host of ["metadata.google.internal", "METADATA.google.internal."]) {
      expect(await visit(`http://${host}/`, {}, policy)).toContain("metadata service");
    }
  });

  test("A metadata service is refused behind another name", async () => {
    const names = { "api.test": ["169.254.169.254"] };
    const policy = { savedHosts: ["api.test"], allow: ["api.test"] };
    expect(await visit("http://api.test/", names, policy)).toContain("metadata service");
  });
});

test("Only http and https URLs are allowed", async () => {
  for (const url of [
    "file:///etc/passwd",
    "ftp://8.8.8.8/",
    "data:text/plain,x",
    "ws://8.8.8.8/",
  ]) {
    expect(await visit(url)).toStartWith("bad_url: ");
  }
});

test("A URL with a user name or password is refused, and the error does not quote it", async () => {
  for (const url of ["http://user:hunter2@8.8.8.8/", "http://hunter2@8.8.8.8/"]) {
    const answer = await visit(url);
    expect(answer).toStartWith("bad_url: ");
    expect(answer).not.toContain("hunter2");
  }
});

describe("a row whose secret is bound to hosts", () => {
  const onlyHosts = [
    "https://api.example.com",
    "https://10.0.0.1:8443",
    "http://nas.example.com:8080",
  ];
  const names = {
    "api.example.com": ["93.184.216.34"],
    "other.example.com": ["93.184.216.35"],
    "nas.example.com": ["93.184.216.36"],
  };

  test("It reaches these hosts", async () => {
    expect(await visit("https://api.example.com/a", names, { onlyHosts })).toEqual([
      "93.184.216.34",
    ]);
    expect(await visit("http://nas.example.com:8080/", names, { onlyHosts })).toEqual([
      "93.184.216.36",
    ]);
  });

  for (const url of [
    "https://other.example.com/",
    "http://api.example.com/",
    "http://api.example.com:443/",
    "https://nas.example.com:8080/",
    "https://api.example.com:444/",
    "http://10.0.0.1/",
  ]) {
    test(`It does not reach ${url}`, async () => {
      expect(await visit(url, names, { onlyHosts })).toContain("may be sent to other hosts only");
    });
  }

  test("A bound host that is private needs permission all the same", async () => {
    expect(await visit("https://10.0.0.1:8443/", {}, { onlyHosts })).toStartWith("blocked: ");
  });
});

describe("a client that signs in with the identity of the machine", () => {
  const rules = toOutboundRules({ savedHosts: [], allow: [] });
  const dial = async (url: string, metadataHost: string) =>
    await findTarget(
      { rules, resolve: async () => ["169.254.169.254"], metadataHost },
      new URL(url),
    ).then(
      ({ addresses }) => addresses,
      (thrown: unknown) => `${thrown instanceof OutboundError && thrown.code}`,
    );

  test("It reaches the one metadata address that it names", async () => {
    expect(await dial("http://169.254.169.254/x", "169.254.169.254")).toEqual(["169.254.169.254"]);
  });

  test("It reaches no other metadata address, port or name", async () => {
    const host = "169.254.169.254";
    expect([
      await dial("http://169.254.170.2/", host),
      await dial("http://169.254.169.254:8080/", host),
      await dial("http://metadata.google.internal/", host),
      await dial("http://metadata.google.internal/", "metadata.google.internal"),
      await dial("http://rebound.example.com/", "rebound.example.com"),
    ]).toEqual(Array.from({ length: 5 }, () => "blocked"));
  });
});
