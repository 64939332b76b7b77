/**
 * Addresses below the issuer that another provider has for what stands here elsewhere: where this service takes over host
 * and path of one, applications that know its addresses go on (decisions 38).
 */
const aliases = {
  keycloak: new Map([
    ['/protocol/openid-connect/auth', '/oauth2/authorize'],
    ['/protocol/openid-connect/auth/device', '/oauth2/device_authorization'],
    ['/protocol/openid-connect/certs', '/oauth2/jwks'],
    ['/protocol/openid-connect/ext/par/request', '/oauth2/par'],
    ['/protocol/openid-connect/logout', '/oauth2/logout'],
    ['/protocol/openid-connect/revoke', '/oauth2/revoke'],
    ['/protocol/openid-connect/token', '/oauth2/token'],
    ['/protocol/openid-connect/token/introspect', '/oauth2/introspect'],
    ['/protocol/openid-connect/userinfo', '/oauth2/userinfo'],
  ]),
} as const

export type Aliases = keyof typeof aliases
export const aliasNames = Object.keys(aliases) as [Aliases]

/** What a request below the issuer asks for. Addresses are compared as they stand, and the query stays. */
export function withoutAlias(url: string, name: Aliases | undefined): string {
  if (name === undefined) return url
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  return `${aliases[name].get(path) ?? path}${url.slice(path.length)}`
}

/** The addresses of an endpoint, its own first. */
export function addressesOf(issuer: string, endpoint: string, name: Aliases | undefined): string[] {
  const others = name === undefined ? [] : [...aliases[name]].filter(([, own]) => own === endpoint)
  return [endpoint, ...others.map(([alias]) => alias)].map((path) => `${issuer}${path}`)
}
