import { createHash, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { deceivingProblem, isSeen } from '../../dist/protocol/characters.js'
import { tokenExchangeGrant } from '../../dist/protocol/grant-types.js'

/** Hashes as production has them, that cost nothing. */
export const quickPasswords = {
  hashPassword: async (password: string) => quickHash(password),
  verifyPassword: async (password: string, hash: string) => hash === quickHash(password),
}
export const quickHash = (password: string) =>
  `$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0$${sha256(password, 'base64').replace('=', '')}`
export const secretHash = (secret: string) => `sha256:${sha256(secret, 'base64url')}`
const jwks = {
  keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })],
}
const sha256 = (value: string, encoding: 'base64' | 'base64url') =>
  createHash('sha256').update(value).digest(encoding)

const text = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((one) => /^\P{Cc}*\S\P{Cc}*$/u.test(one) && isSeen(one) && deceivingProblem(one) === undefined),
  fc.constantFrom(
    'true',
    '~',
    '0x1f',
    '1e3',
    '- a',
    'a: b',
    ' #b ',
    '"',
    "'",
    '*a',
    '&b',
    '2031-01-31',
    '\u0645\u06CC\u200C\u062E',
  ),
)
const code = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,6}$/).filter((one) => one !== 'iam')
const codes = (most: number) => fc.uniqueArray(code, { maxLength: most })
const flag = fc.boolean()
const moment = fc.integer({ min: 5_000, max: 4e12 })

/** A whole installation, valid by its making: the tree of a declared file. */
export function installation(g: fc.GeneratorValue): object {
  const maybe = <T>(value: () => T): T | undefined => (g(() => flag) ? value() : undefined)
  const some = <T>(list: readonly T[]): T[] => g(() => fc.subarray([...list]))
  const one = <T>(list: readonly T[]): T => g(() => fc.constantFrom(...list))
  const words = () => g(() => text)
  const policy = () =>
    one([
      { second_factor: 'required', grace_days: 7 },
      { second_factor: 'passkey', trusted_device_days: 0, password_length: 15 },
      { second_factor: 'off' },
    ])
  const uuid = () => maybe(() => g(fc.uuid))
  const active = () => maybe(() => g(() => flag))
  // Not the code alone: a label that begins with xn-- stands for other characters, or is none.
  const url = (path: string) => `https://at-${g(() => code)}.example/${path}`

  const services = g(() => codes(3)).map((own) => ({
    code: own,
    name: words(),
    audience: `https://at-${own}.example/api`,
    description: maybe(() => `${words()}\n${words()}`),
    access_token_alg: maybe(() => g(() => fc.constantFrom('RS256', 'ES256'))),
    access_token_typ: maybe(() => g(() => fc.constantFrom('at+jwt', 'JWT'))),
    permissions: g(() => fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}\.[a-z]{1,3}$/), { maxLength: 4 })).map(
      (name) => ({ code: `${own}.${name}`, description: maybe(() => `${words()}\n${words()}`) }),
    ),
  }))
  const permissions = services.flatMap((service) => service.permissions.map((permission) => permission.code))
  const roles = g(() => codes(3)).map((own) => ({
    code: own,
    name: words(),
    active: active(),
    policy: maybe(policy),
    permissions: some([...permissions, 'iam.*', 'iam.users.read']),
  }))
  const organisations = g(() => codes(3)).map((own) => {
    const units = g(() => codes(4))
    return {
      code: own,
      uuid: uuid(),
      name: words(),
      active: active(),
      policy: maybe(policy),
      units: units.map((unit, index) => ({
        code: unit,
        uuid: uuid(),
        name: words(),
        active: active(),
        parent: index === 0 ? undefined : maybe(() => one(units.slice(0, index))),
      })),
    }
  })
  const places = [
    {},
    ...organisations.map(({ code: organisation }) => ({ organisation })),
    ...organisations.flatMap(({ code: organisation, units }) =>
      units.map((unit) => ({ organisation, unit: unit.code })),
    ),
  ]
  const held = roles.flatMap((role) => places.map((place) => ({ role: role.code, ...place })))
  const users = g(() => codes(4)).map((own) => ({
    email: `${own}@${one(['x.example', 'X.example'])}`,
    uuid: uuid(),
    name: words(),
    given_name: maybe(words),
    preferred_username: maybe(words),
    picture: maybe(() => url('picture')),
    locale: maybe(() => one(['en', 'de-AT'])),
    zoneinfo: maybe(() => 'Europe/Vienna'),
    email_verified: active(),
    password_hash: maybe(() => quickHash(words())),
    active: active(),
    profiles: some(held).map((profile) => ({
      ...profile,
      uuid: uuid(),
      active: active(),
      expires_at: maybe(() => new Date(g(() => moment)).toISOString()),
    })),
  }))
  const issuer = 'https://issuer.example'
  const trusted = maybe(() => some(organisations).map(({ code }) => code))
  const clients = g(() => codes(4)).map((own) => {
    const assigned = some([...services.map((service) => service.code), 'iam'])
    const common = {
      client_id: own,
      client_name: words(),
      active: active(),
      first_party: active(),
      services: assigned,
      organisation: organisations.length === 0 ? undefined : maybe(() => one(organisations).code),
      policy: maybe(policy),
      client_uri: maybe(() => url('')),
      contacts: maybe(() => ['a@x.example']),
      access_token_lifetime: maybe(() => 60),
    }
    const keys = { jwks: maybe(() => jwks), jwks_uri: undefined }
    const published = { jwks_uri: maybe(() => url('jwks')) }
    const { organisation: place } = common
    const isTrusted = trusted !== undefined && (place === undefined || trusted.includes(place))
    const match = () =>
      one([{ subject: own }, { claims: { repository_id: own, attempt: 1, protected: true } }])
    const federated = { federated: isTrusted ? { issuer, ...match() } : undefined }
    const proof = {
      ...one([keys, published, federated]),
      token_endpoint_auth_method: maybe(() => 'client_secret_basic'),
      token_endpoint_auth_signing_alg: maybe(() => 'ES256'),
      assertion_audience: maybe(() => 'token_endpoint'),
    }
    const secrets = ['one', 'two'].map((name) => secretHash(`${own} ${name}`))
    const hashes = some(secrets).map((hash) => {
      const expires_at = maybe(() => new Date(g(() => moment)).toISOString())
      return expires_at === undefined ? hash : { hash, expires_at }
    })
    const type = one(['public', 'web'])
    const ofServices = (codes: readonly string[]) =>
      some(permissions.filter((name) => codes.some((service) => name.startsWith(`${service}.`))))
    /** It acts for people at the others of these services, where there is one that it can be. */
    const acting = (grants: readonly string[]) => {
      const [acts_as, ...others] = some(services.map((service) => service.code))
      if (acts_as === undefined) return {}
      const exchange = { services: others, permissions: ofServices(others) }
      return { acts_as, exchange, grant_types: [...grants, tokenExchangeGrant] }
    }
    if (one([true, false, false])) {
      const address = url(`${own}.json`)
      const { client_name: _name, first_party: _never, ...documented } = common
      const said = {
        client_id: address,
        client_name: words(),
        redirect_uris: [address, 'http://localhost/callback', 'https://further.example/callback'],
        token_endpoint_auth_method: maybe(() => 'none'),
      }
      return {
        ...documented,
        client_id: address,
        type: 'public',
        metadata: 'document',
        redirect_hosts: ['further.example'],
        document: maybe(() => said),
        scope: 'openid service.api',
        permissions: ofServices(assigned),
      }
    }
    return g(() => flag)
      ? {
          ...common,
          type: 'machine',
          ...proof,
          ...acting(['client_credentials']),
          permissions: ofServices(assigned),
          client_secret_hashes: hashes,
        }
      : {
          ...common,
          type,
          ...(type === 'web' && {
            client_secret_hashes: hashes,
            ...proof,
            ...acting(['authorization_code', 'refresh_token']),
          }),
          groups: maybe(() => {
            const [service] = assigned
            const permissionsOf = service === undefined ? [] : [{ from: 'permissions', service }]
            return one([
              { from: 'organisation/role' },
              { from: 'map', map: { [own]: [words()] } },
              ...permissionsOf,
            ])
          }),
          claims: maybe(() => [
            { name: 'department', source: 'organisation_unit_name', in: ['userinfo'] },
            { name: 'tenant', value: one([true, 4, words()]), in: ['id_token', 'userinfo'] },
          ]),
          require_nonce: maybe(() => false),
          require_state: maybe(() => false),
          require_pushed_authorization_requests: maybe(() => true),
          dpop_bound_access_tokens: maybe(() => true),
          id_token_signed_response_alg: maybe(() => one(['RS256', 'ES256'])),
          application_type: maybe(() => 'native'),
          redirect_uris: [url('callback'), 'http://127.0.0.1:4001/back'],
          post_logout_redirect_uris: maybe(() => [url('bye')]),
          scope: one(['openid', 'openid service.api', 'openid profile email']),
          permissions: maybe(() => some([...permissions, 'iam.*'])),
          allowed_origins: maybe(() => ['https://spa.example']),
          backchannel_logout_uri: maybe(() => url('out')),
          refresh_idle_lifetime: maybe(() => 3600),
        }
  })
  const branding = () => ({ name: words(), help_uri: url('help'), logo: url('logo.png') })
  const assertion_issuers = trusted && [{ issuer, organisations: trusted, max_lifetime: maybe(() => 7200) }]
  return {
    policy: maybe(policy),
    branding: maybe(branding),
    assertion_issuers,
    services,
    roles,
    organisations,
    users,
    clients,
  }
}
