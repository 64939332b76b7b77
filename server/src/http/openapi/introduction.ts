import { iamAudience } from '../../protocol/permission.ts'
import { supportedScopes } from '../../protocol/scope.ts'
import type { Service } from '../../service.ts'
import { errorTable } from './refusals.ts'
import { spoken } from './samples.ts'

/** What holds for every address; the first thing a reader sees. */
export function introduction({ issuer, settings }: Pick<Service, 'issuer' | 'settings'>): string {
  const { lifetimes, limits, docsUrl } = settings
  return `Tessera signs people in (OpenID Connect, authorization code with PKCE), issues tokens to them and to machines, and lets
protected services decide by permission.

**Begin** with the discovery document, [${issuer}/.well-known/openid-configuration](${issuer}/.well-known/openid-configuration): it names every address. The issuer is
\`${issuer}\`, the scopes are ${supportedScopes.map((scope) => `\`${scope}\``).join(', ')}. Clients are registered by the operators.
This description is at \`${docsUrl ?? issuer}/api/doc.json\`.

**Every answer** carries \`x-request-id\`. Refusals are \`{"error", "error_description"}\`, never cached; the addresses that
people visit answer browsers with a page. A known address with another method answers 405 with \`Allow\`, an unknown one 404.

**Browser applications** may call the token, refresh, userinfo and revoke endpoints from the origins that are registered for
an active client (CORS, without cookies; preflights are answered and not listed here). Discovery, keys and this
description may be read from anywhere.

**Administration** is below \`${issuer}/admin/v1\`: JSON, strict, refused by problems (RFC 9457, \`application/problem+json\`). It is
a protected service like any other, \`iam\`, with the audience \`${iamAudience(issuer)}\`; every operation names its permission.

**Times**: access and ID tokens live ${spoken(lifetimes.accessToken)}, codes ${spoken(lifetimes.code)}; a client can have token lifetimes of its own.

**Limits**: ${limitText(limits)} Then the answer is 429 with \`Retry-After\`. Discovery and keys are never limited.

**Left out** are the pages of a sign-in (\`/sign-in\`, \`/choose-profile\`, \`/consent\`, \`/no-profile\`), the address they return to
(\`/oauth2/authorize/continue\`), the page where the first administrator is named (\`/setup\`) and the files that pages load:
they belong to one browser and one sign-in, and change without notice. No client calls them. The health checks below \`/health/\` are for operators.

<details><summary>All error codes</summary>

${errorTable()}

</details>
`
}

function limitText({ authorize, clientAuth, grants }: Service['settings']['limits']): string {
  const each = [
    [authorize, 'authorization requests per address'],
    [clientAuth, 'failed authentications per client and address'],
    [grants, 'refused grants per address'],
  ] as const
  const on = each.filter(([limit]) => limit > 0).map(([limit, what]) => `${limit} ${what}`)
  return on.length === 0 ? 'none are set.' : `${on.join(', ')}, each a minute.`
}
