// biome-ignore-all lint/suspicious/noTemplateCurlyInString: rows name secrets by such texts.
import { expect, test } from "bun:test";
import { findExposedSecrets } from "./find-exposed-secrets.ts";

const github = `ghp_${"a1".repeat(18)}`;

const seal = (...args: string[]) => {
  const { args: sealed, exposed } = findExposedSecrets({ url: "", args });
  return [sealed, exposed.map(({ name, value }) => [name, value])];
};
const sealUrl = (url: string) => {
  const { url: sealed, exposed } = findExposedSecrets({ url, args: [] });
  return [sealed, exposed.map(({ name, value }) => [name, value])];
};

test("Secrets after and in options, in headers, and in addresses get a name", () => {
  expect(seal("-y", "--token", "s3cret-x")).toEqual([
    ["-y", "--token", "${TOKEN}"],
    [["TOKEN", "s3cret-x"]],
  ]);
  expect(seal("--api-key=s3cret-x", "-e", "GITHUB_TOKEN=s3cret-y")).toEqual([
    ["--api-key=${API_KEY}", "-e", "GITHUB_TOKEN=${GITHUB_TOKEN}"],
    [
      ["API_KEY", "s3cret-x"],
      ["GITHUB_TOKEN", "s3cret-y"],
    ],
  ]);
  expect(seal("--header", "Authorization: Bearer s3cret-x")).toEqual([
    ["--header", "Authorization: Bearer ${AUTHORIZATION}"],
    [["AUTHORIZATION", "s3cret-x"]],
  ]);
  expect(seal("postgres://ada:pw@db.test/x?sslmode=require")).toEqual([
    ["postgres://ada:${PASSWORD}@db.test/x?sslmode=require"],
    [["PASSWORD", "pw"]],
  ]);
  expect(seal("https://a.test/mcp?apiKey=s3cret-x&v=1")).toEqual([
    ["https://a.test/mcp?apiKey=${API_KEY}&v=1"],
    [["API_KEY", "s3cret-x"]],
  ]);
  expect(seal(`run ${github}`, github)).toEqual([
    ["run ${TOKEN}", "${TOKEN}"],
    [["TOKEN", github]],
  ]);
});

test("Other arguments stay as they are", () => {
  for (const arg of [
    "@modelcontextprotocol/server-filesystem",
    "--tokens=100000",
    "--token-limit=100000",
    "--token=${TOKEN}",
    "--auth=oauth",
    "--token=none",
    "/home/ada/tokens",
    "https://a.test/mcp?page=1000000",
    "Content-Type: application/json",
  ]) {
    expect(seal(arg)).toEqual([[arg], []]);
  }
});

test("Secret parts of an address get a name, and its values are decoded", () => {
  expect(sealUrl("https://a.test/mcp?v=1&key=a%20s3cret#x")).toEqual([
    "https://a.test/mcp?v=1&key=${KEY}#x",
    [["KEY", "a s3cret"]],
  ]);
  const part = "0123456789abcdef0123456789abcdef";
  expect(sealUrl(`https://a.test/s/${part}/mcp`)).toEqual([
    "https://a.test/s/${PATH_KEY}/mcp",
    [["PATH_KEY", part]],
  ]);
  expect(sealUrl("https://a.test/mcp?profile=dev-environment")[1]).toEqual([]);
});

test("Names that are taken are numbered", () => {
  const { exposed } = findExposedSecrets({ url: "", args: ["--token=s3cret-x"] }, ["TOKEN"]);
  expect(exposed).toMatchObject([{ name: "TOKEN_2" }]);
});

test("Hostile texts take linear time (denial of service)", () => {
  const args = ["://".repeat(100_000), "a:".repeat(4000), "-".repeat(8000), "ey".repeat(4000)];
  args.push("token".repeat(1600), `https://${"?".repeat(8000)}`, "a://".repeat(2000));
  expect(findExposedSecrets({ url: `https://a/?${"&".repeat(8000)}`, args }).exposed).toEqual([]);
  expect(seal(`eyJ${"a".repeat(8000)}`)[1]).toEqual([]);
});
