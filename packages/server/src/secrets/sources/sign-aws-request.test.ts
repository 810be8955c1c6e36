import { expect, test } from "bun:test";
import { signAwsRequest } from "./sign-aws-request.ts";

test("A request is signed as the case post-vanilla of AWS's test suite for signatures of version 4", () => {
  const { authorization } = signAwsRequest(
    {
      url: new URL("https://example.amazonaws.com/"),
      method: "POST",
      headers: {},
      body: "",
      region: "us-east-1",
      service: "service",
    },
    {
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      sessionToken: null,
    },
    new Date("2015-08-30T12:36:00Z"),
  );
  expect(authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  );
});
