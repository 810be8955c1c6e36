import { describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { createSelfSigned } from "./certificate.ts";
import { chooseAppVersion, formatHandshakeLine, parseHandshakeLine } from "./handshake.ts";

describe("the handshake line", () => {
  test("A handshake line is parsed as it was written", () => {
    const handshake = {
      core: 1,
      app: 2,
      network: "unix" as const,
      address: "/tmp/plugin1",
      protocol: "grpc",
      certificate: createSelfSigned().certificate,
    };
    const line = formatHandshakeLine(handshake);
    expect(line).toMatch(/^1\|2\|unix\|\/tmp\/plugin1\|grpc\|[A-Za-z0-9+/]+$/);
    expect(parseHandshakeLine(`${line}\n`)).toEqual(handshake);
  });

  test("A handshake line may omit the certificate and have unknown members", () => {
    const expected = { network: "tcp", address: "127.0.0.1:1", certificate: null };
    expect(parseHandshakeLine("1|1|tcp|127.0.0.1:1|grpc")).toMatchObject(expected);
    expect(parseHandshakeLine("1|1|tcp|127.0.0.1:1|grpc||true")).toMatchObject(expected);
  });

  test("A byte order mark before a handshake line is left out", () => {
    expect(parseHandshakeLine("\ufeff1|1|tcp|127.0.0.1:1|grpc")).toMatchObject({ network: "tcp" });
  });

  test("A handshake line is recognised among other output", () => {
    for (const line of ["", "hello", "1|1|pipe|x|grpc|", "1|1", "a | b | c | d"]) {
      expect(parseHandshakeLine(line)).toBeNull();
    }
  });
});

describe("the application version", () => {
  const choices: [string | undefined, number][] = [
    [undefined, 1],
    ["", 1],
    ["1", 1],
    ["1,2", 2],
    ["2, 1", 2],
    ["3,1", 1],
    ["3", 2],
  ];
  for (const [offered, chosen] of choices) {
    test(`The version is ${chosen} for a host that offers ${JSON.stringify(offered)}`, () => {
      expect(chooseAppVersion(offered)).toBe(chosen as 1 | 2);
    });
  }
});

describe("the certificate of one side", () => {
  test("The certificate is self-signed for localhost, as client and server", () => {
    const now = new Date("2026-11-20T11:00:00Z");
    const { certPem, certificate } = createSelfSigned(now);
    const read = new X509Certificate(certPem);
    expect(read.raw.equals(Buffer.from(certificate))).toBe(true);
    expect(read.subject).toBe("CN=localhost");
    expect(read.subjectAltName).toBe("DNS:localhost");
    expect(read.ca).toBe(true);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);
    expect(new Date(read.validFrom).toISOString()).toBe("2026-11-19T11:00:00.000Z");
  });

  test("The certificate can be valid past 2049, which has another date encoding", () => {
    const { certPem } = createSelfSigned(new Date("2045-01-01T00:00:00Z"));
    expect(new X509Certificate(certPem).validTo).toContain("2054");
  });

  test("Each certificate is different", () => {
    expect(createSelfSigned().certPem).not.toBe(createSelfSigned().certPem);
  });
});
