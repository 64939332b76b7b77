import { managedHeader } from '../../administration/conditions.ts'
import { keyTimes } from '../../keys/key-times.ts'
import { discoveryDocument } from '../../oauth2/discovery.ts'
import { deviceCodeGrant, grantTypes, tokenExchangeGrant } from '../../protocol/grant-types.ts'
import { en } from '../../pages/messages/en.ts'
import { apiDocUrl } from '../../protocol/api-doc.ts'
import { promptValues } from '../../protocol/authorize-parameters.ts'
import { errorCatalogue } from '../../protocol/errors.ts'
import { accessTokenType } from '../../protocol/exchange.ts'
import { iamAudience } from '../../protocol/permission.ts'
import { version } from '../../protocol/version.ts'
import type { Service } from '../../service.ts'
import { rotationGrace } from '../../store/refresh-tokens.ts'
import { pathOfIssuer } from '../../protocol/issuer-path.ts'

/** The values that the description takes from the code: `${name}` in `assets/openapi.yaml`. */
export function factsOf(service: Pick<Service, 'issuer' | 'settings'>): Record<string, unknown> {
  const { issuer } = service
  const { lifetimes, limits } = service.settings
  const discovery = discoveryDocument(service)
  const scopes = discovery.scopes_supported
  return {
    version,
    issuer,
    docUrl: apiDocUrl(service),
    iamAudience: iamAudience(issuer),
    cookiePrefix: issuer.startsWith('https:') ? (pathOfIssuer(issuer) === '' ? '__Host-' : '__Secure-') : '',
    discovery,
    scopes,
    scopeList: scopes.join(', '),
    scopeCodes: scopes.map((scope) => `\`${scope}\``).join(', '),
    scopeLabels: Object.fromEntries(scopes.map((scope) => [scope, en.consent.scopes[scope].label])),
    grants: grantTypes,
    deviceGrant: deviceCodeGrant,
    exchangeGrant: tokenExchangeGrant,
    accessTokenType,
    grantList: grantTypes.join(', '),
    prompts: promptValues,
    promptList: promptValues.join(', '),
    promptPattern: promptValues.join('|'),
    errors: Object.keys(errorCatalogue),
    errorTable: errorTable(),
    accessTokenLife: spoken(lifetimes.accessToken),
    accessTokenSeconds: lifetimes.accessToken / 1000,
    codeLife: spoken(lifetimes.code),
    refreshIdle: spoken(lifetimes.refreshIdle),
    refreshAbsolute: spoken(lifetimes.refreshAbsolute),
    rotationGrace: spoken(rotationGrace),
    jwksKept: spoken(keyTimes.jwksCache),
    limits: limitText(limits),
    managedHeader,
  }
}

/** Milliseconds in words: 900,000 → `15 minutes`. */
function spoken(milliseconds: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ] as const
  const [unit, length] = units.find(([, one]) => milliseconds >= one && milliseconds % one === 0) ?? units[3]
  const count = milliseconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
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

function errorTable(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  return `| error | status | meaning |\n|---|---|---|\n${rows.join('\n')}`
}
