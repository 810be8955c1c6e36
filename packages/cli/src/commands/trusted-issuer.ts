import type { ClaimCondition, TrustedIssuer } from "@hub/contract/machine.ts";
import { command, group } from "../declare/command.ts";
import { argument, flag, option, pairs, requiredOption } from "../declare/parameters.ts";
import { detail, type Field, table } from "../declare/view.ts";
import { boundOptions, toBounds } from "../input/bounds.ts";

const loadIssuers = () => import("@hub/server/services/machines/manage-trusted-issuers.ts");

const fields: Field<TrustedIssuer>[] = [
  "id",
  "name",
  "kind",
  "issuer",
  ["conditions", ({ conditions }) => conditions.map(toText)],
  ["service user", "service_user"],
  ["last used", ({ last_used_at }) => last_used_at ?? "never"],
];

export const define = group(
  {
    examples: [
      "trusted-issuer add --name builds --issuer https://token.actions.githubusercontent.com --claim repository_id=1234 --service-user deploy-bot",
      "trusted-issuer add --name company --issuer https://id.example.com --users",
      "trusted-issuer remove 11111111-2222-4333-8444-555555555555",
    ],
  },
  [
    command("add", "trust an issuer, whose signed assertions open the hub", {
      takes: {
        name: requiredOption("<name>", "name of the registration, shown in lists"),
        issuer: requiredOption("<url>", "as in the member iss of its assertions"),
        users: flag("it says who users are (ID-JAG), in place of what programs are"),
        serviceUser: option(
          "<name>",
          "the service user as whom the program calls",
          async ({ findServiceUserId }, name) => findServiceUserId(name),
        ),
        claim: pairs("<claim=value>", "a claim that has this value; may be repeated"),
        claimPrefix: pairs("<claim=text>", "a claim that begins with this text; may be repeated"),
        audience: option(
          "<text>",
          "the aud of a program's assertions (default: the token endpoint)",
        ),
        jwksUri: option("<url>", "where its keys are (default: as its OpenID metadata says)"),
        ...boundOptions,
      },
      async does(
        { services, actor, lookups },
        { name, issuer, users, claim, claimPrefix, ...more },
      ) {
        const { serviceUser, audience, jwksUri, ...bound } = more;
        const bounds = await toBounds(lookups, bound);
        const conditions: ClaimCondition[] = [
          ...Object.entries(claim ?? {}).map(([key, value]) => ({ claim: key, value })),
          ...Object.entries(claimPrefix ?? {}).map(([key, prefix]) => ({ claim: key, prefix })),
        ];
        return await (await loadIssuers()).addTrustedIssuer(services, actor, {
          name,
          issuer,
          kind: users ? "id_jag" : "workload",
          conditions,
          ...(serviceUser !== undefined && { serviceUser }),
          ...(audience !== undefined && { audience }),
          ...(jwksUri !== undefined && { jwksUri }),
          ...(bounds !== undefined && { bounds }),
        });
      },
      shows: detail<TrustedIssuer>(fields),
    }),
    command("list", "list the issuers whose assertions open the hub", {
      does: async ({ services }) => (await loadIssuers()).listTrustedIssuers(services),
      shows: table<TrustedIssuer>(fields, "No issuer is trusted."),
    }),
    command("remove", "end the trust in an issuer; the next call of its tokens is refused", {
      takes: { id: argument("<id>") },
      does: async ({ services, actor }, { id }) =>
        (await loadIssuers()).removeTrustedIssuer(services, actor, id),
      shows: ({ name }: TrustedIssuer) => `"${name}" is not trusted any more.`,
    }),
  ],
);

function toText(condition: ClaimCondition): string {
  return "value" in condition
    ? `${condition.claim}=${condition.value}`
    : `${condition.claim}=${condition.prefix}…`;
}
