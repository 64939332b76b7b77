/** What a body refers to: whoever administers an organisation can't tell what is elsewhere from what is not there. */
import { beforeAll, describe, expect, it } from 'vitest'
import { adminRoutes } from '../../dist/administration/routes.js'
import { acme, Administrator, globex, heads, intake, profiles, users, administeredOn } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { everythingIn } from '../harness/states.ts'

const nowhere = '99999999-9999-4999-8999-999999999999'
const robot = { client_id: 'refers', client_name: 'Refers', type: 'machine', organisation_uuid: acme }
const web = {
  ...robot,
  type: 'public',
  redirect_uris: ['https://refers.example/'],
  scope: 'openid service.api',
}
const acting = {
  ...robot,
  client_id: 'acme-acting',
  grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'],
  acts_as: 'submissions-tool',
  exchange: { services: [], permissions: [] },
}
const wiki = {
  ...robot,
  client_id: 'acme-wiki',
  type: 'proxied',
  origins: ['https://wiki.acme.example'],
  routes: { '* /*': 'signed-in' },
}
const visited = { method: 'GET', url: 'https://wiki.acme.example/' }
const person = { email: 'refers@acme.example', name: 'Refers' }
const give = { role_code: 'importer', organisation_uuid: acme }
const webhook = { url: 'https://refers.example/', kinds: ['*'] }
const unit = { organisation_uuid: acme, code: 'refers', name: 'Refers' }
const opening = {
  '/upstreams': { code: 'u', name: 'U', kind: 'oidc', issuer: 'https://idp.acme.example', client_id: 'c' },
  '/domains': { name: 'refers.example' },
  '/directories': { code: 'd', name: 'D' },
}
const importer = `/profiles/${profiles.importer}`

/** A request with a value of one of its fields, once of something elsewhere and once of nothing. */
type Case = [
  field: string,
  method: 'POST' | 'PATCH',
  path: string,
  elsewhere: string,
  (value: string) => object,
]

/** The unit elsewhere is made below. */
const cases = (abroad: string): Case[] => [
  ...(['/upstreams', '/domains', '/directories'] as const).map(
    (path): Case => [
      'organisation_uuid',
      'POST',
      path,
      globex,
      (organisation_uuid) => ({ ...opening[path], organisation_uuid }),
    ],
  ),
  [
    'organisation_uuid',
    'POST',
    '/upstream-invitations',
    globex,
    (organisation_uuid) => ({ organisation_uuid }),
  ],
  ...(['/upstreams', '/directories'] as const).map(
    (path): Case => [
      'mapping',
      'POST',
      path,
      'bookkeeper',
      (role) => ({ ...opening[path], organisation_uuid: acme, mapping: [{ group: 'g', role }] }),
    ],
  ),
  [
    'mapping',
    'PATCH',
    `/upstreams/${nowhere}`,
    'bookkeeper',
    (role) => ({ mapping: [{ group: 'g', role }] }),
  ],
  [
    'mapping',
    'PATCH',
    `/directories/${nowhere}`,
    'bookkeeper',
    (role) => ({ mapping: [{ group: 'g', role }] }),
  ],
  ['accepts', 'PATCH', `/organisations/${acme}`, globex, (one) => ({ accepts: [one] })],
  ['break_glass', 'PATCH', `/organisations/${acme}`, users.nobody, (one) => ({ break_glass: [one] })],
  ['user_uuid', 'POST', '/profiles', users.nobody, (user_uuid) => ({ ...give, user_uuid })],
  ...(['administrator', 'reader'] as const).map(
    (role): Case => [
      'profile',
      'POST',
      '/users/bulk',
      role,
      (role_code) => ({ action: 'give_role', people: { all: true }, profile: { ...give, role_code } }),
    ],
  ),
  ...(['give_role', 'end_role'] as const).map(
    (action): Case => [
      'profile',
      'POST',
      '/users/bulk',
      globex,
      (organisation_uuid) => ({ action, people: { all: true }, profile: { ...give, organisation_uuid } }),
    ],
  ),
  ...['administrator', 'reader', 'bookkeeper'].flatMap((role): Case[] => [
    [
      'role_code',
      'POST',
      '/profiles',
      role,
      (role_code) => ({ ...give, user_uuid: users.importer, role_code }),
    ],
    ['role_code', 'POST', '/profiles', role, (role_code) => ({ user_uuid: users.importer, role_code })],
    [
      'role_code',
      'POST',
      '/profiles',
      role,
      (role_code) => ({ user_uuid: users.importer, role_code, organisation_uuid: globex }),
    ],
    ['role_code', 'PATCH', importer, role, (role_code) => ({ role_code })],
    ['role_code', 'PATCH', importer, role, (role_code) => ({ role_code, organisation_unit_uuid: abroad })],
    ...['/users', '/invitations'].map(
      (path): Case => [
        'profiles',
        'POST',
        path,
        role,
        (role_code) => ({ ...person, profiles: [{ ...give, role_code }] }),
      ],
    ),
    [
      'profiles',
      'POST',
      '/invitations/bulk',
      role,
      (role_code) => ({ emails: [person.email], profiles: [{ ...give, role_code }] }),
    ],
  ]),
  [
    'organisation_uuid',
    'POST',
    '/profiles',
    globex,
    (organisation_uuid) => ({ ...give, user_uuid: users.importer, organisation_uuid }),
  ],
  [
    'organisation_unit_uuid',
    'POST',
    '/profiles',
    abroad,
    (organisation_unit_uuid) => ({ ...give, user_uuid: users.importer, organisation_unit_uuid }),
  ],
  [
    'organisation_unit_uuid',
    'PATCH',
    importer,
    abroad,
    (organisation_unit_uuid) => ({ organisation_unit_uuid }),
  ],
  [
    'profiles',
    'POST',
    '/users',
    globex,
    (organisation_uuid) => ({ ...person, profiles: [{ ...give, organisation_uuid }] }),
  ],
  [
    'profiles',
    'POST',
    '/invitations',
    globex,
    (organisation_uuid) => ({ ...person, profiles: [{ ...give, organisation_uuid }] }),
  ],
  [
    'profiles',
    'POST',
    '/invitations/bulk',
    globex,
    (organisation_uuid) => ({ emails: [person.email], profiles: [{ ...give, organisation_uuid }] }),
  ],
  [
    'profiles',
    'POST',
    '/invitations/bulk',
    abroad,
    (organisation_unit_uuid) => ({ emails: [person.email], profiles: [{ ...give, organisation_unit_uuid }] }),
  ],
  [
    'profiles',
    'POST',
    '/users',
    abroad,
    (organisation_unit_uuid) => ({ ...person, profiles: [{ ...give, organisation_unit_uuid }] }),
  ],
  [
    'profiles',
    'POST',
    '/invitations',
    abroad,
    (organisation_unit_uuid) => ({ ...person, profiles: [{ ...give, organisation_unit_uuid }] }),
  ],
  ['organisation_uuid', 'POST', '/units', globex, (organisation_uuid) => ({ ...unit, organisation_uuid })],
  ['parent_uuid', 'POST', '/units', abroad, (parent_uuid) => ({ ...unit, parent_uuid })],
  ['parent_uuid', 'PATCH', `/units/${intake}`, abroad, (parent_uuid) => ({ parent_uuid })],
  ['organisation_uuid', 'POST', '/clients', globex, (organisation_uuid) => ({ ...robot, organisation_uuid })],
  ...(['bookkeeper', 'globex', 'ledger.entry.read'] as const).flatMap((code): Case[] => {
    const list = { bookkeeper: 'roles', globex: 'organisations', 'ledger.entry.read': 'permissions' }[code]
    return [
      ['allowed', 'POST', '/clients', code, (one) => ({ ...web, allowed: { [list]: [one] } })],
      ['allowed', 'PATCH', '/clients/acme-web', code, (one) => ({ allowed: { [list]: [one] } })],
    ]
  }),
  ...(['POST /clients', 'PATCH /clients/acme-wiki'] as const).map((asked): Case => {
    const [method, path] = asked.split(' ') as ['POST' | 'PATCH', string]
    const whole = method === 'POST' ? { ...wiki, client_id: 'other-wiki' } : {}
    return ['routes', method, path, 'ledger.entry.read', (code) => ({ ...whole, routes: { '* /*': code } })]
  }),
  ...[users.nobody, users.admin].map(
    (user): Case => [
      'user_uuid',
      'POST',
      '/clients/acme-wiki/visit',
      user,
      (user_uuid) => ({ ...visited, user_uuid, profile_uuid: profiles.admin }),
    ],
  ),
  ['services', 'POST', '/clients', 'ledger', (code) => ({ ...robot, services: [code] })],
  ...(['POST', 'PATCH'] as const).flatMap((method): Case[] => {
    const path = method === 'POST' ? '/clients' : '/clients/acme-acting'
    const body = method === 'POST' ? { ...acting, client_id: 'refers' } : {}
    return [
      ['acts_as', method, path, 'ledger', (code) => ({ ...body, acts_as: code })],
      [
        'exchange',
        method,
        path,
        'ledger',
        (code) => ({ ...body, exchange: { services: [code], permissions: [] } }),
      ],
      [
        'exchange',
        method,
        path,
        'ledger.entry.read',
        (code) => ({ ...body, exchange: { services: [code.split('.')[0]], permissions: [code] } }),
      ],
    ]
  }),
  ['services', 'POST', '/clients', 'ledger', (code) => ({ ...web, services: [code] })],
  [
    'services',
    'POST',
    '/clients',
    'ledger',
    (code) => ({ ...web, services: [code], permissions: [`${code}.entry.read`] }),
  ],
  [
    'permissions',
    'POST',
    '/clients',
    'ledger.entry.read',
    (code) => ({ ...robot, services: [code.split('.')[0]], permissions: [code] }),
  ],
  [
    'permissions',
    'POST',
    '/clients',
    'submissions-tool.submission.approve',
    (code) => ({ ...robot, services: [code.split('.')[0]], permissions: [code] }),
  ],
  [
    'organisation_uuid',
    'PATCH',
    '/clients/nightly-import',
    globex,
    (organisation_uuid) => ({ organisation_uuid }),
  ],
  [
    'services',
    'PATCH',
    '/clients/nightly-import',
    'ledger',
    (code) => ({ services: ['submissions-tool', code] }),
  ],
  [
    'permissions',
    'PATCH',
    '/clients/nightly-import',
    'submissions-tool.submission.approve',
    (code) => ({ permissions: ['submissions-tool.vista-import.create', code] }),
  ],
  [
    'groups',
    'POST',
    '/clients',
    'ledger',
    (service) => ({ ...web, services: [service], groups: { from: 'permissions', service } }),
  ],
  [
    'groups',
    'PATCH',
    '/clients/acme-web',
    'ledger',
    (service) => ({ groups: { from: 'permissions', service } }),
  ],
  ...[users.nobody, users.admin].map(
    (user): Case => [
      'user_uuid',
      'POST',
      '/clients/acme-web/preview',
      user,
      (user_uuid) => ({ user_uuid, profile_uuid: profiles.admin }),
    ],
  ),
  ...[profiles.bothBookkeeper, profiles.admin].map(
    (profile): Case => [
      'profile_uuid',
      'POST',
      '/clients/acme-web/preview',
      profile,
      (profile_uuid) => ({ user_uuid: users.both, profile_uuid }),
    ],
  ),
  [
    'resource',
    'POST',
    '/clients/acme-web/preview',
    'https://ledger.acme.example/api',
    (resource) => ({ user_uuid: users.importer, profile_uuid: profiles.importer, resource }),
  ],
  [
    'organisation_uuid',
    'POST',
    '/webhooks',
    globex,
    (organisation_uuid) => ({ ...webhook, organisation_uuid }),
  ],
]

/** Of nothing, in the shape of what is there. */
function ofNothing(elsewhere: string): string {
  if (elsewhere.includes('-') && elsewhere.length === nowhere.length) return nowhere
  const parts = elsewhere.split('.')
  // A permission of a service that they see stays one of it.
  return [...parts.slice(0, -1), 'x'.repeat(parts.at(-1)?.length ?? 1)].join('.')
}

/**
 * What refers to nothing of the installation, or belongs to routes that a delegate never passes. The people of a bulk
 * change are told of line by line, bulk-refused.test.ts, and so are addresses: invitations-bulk.test.ts;
 * of drafted changes each one is refused by itself: what-if.test.ts.
 */
const others = new Set(
  `active access_token_alg access_token_typ access_token_lifetime allowed_origins application_type audience claims
  backchannel_logout_uri branding client_id client_name client_uri code contacts description email email_verified enrolment_required expires_at
  headers method origins remote_user redirect_hosts document
  factors family_name first_party from_theft given_name grant_types jwks jwks_uri kinds locale logo_uri delivery name password password_temporary picture policy
  post_logout_redirect_uris preferred_username previous_expires_at prompt redirect_uris refresh_absolute_lifetime refresh_idle_lifetime
  require_nonce require_pkce require_pushed_authorization_requests require_state scope dpop_bound_access_tokens id_token_signed_response_alg
  token_endpoint_auth_method token_endpoint_auth_signing_alg assertion_audience federated type url zoneinfo
  kind issuer client_secret bind_password secret_expires_at metadata_url metadata bind_dn base subject attributes provision guests
  assurance assurance_trusted recheck_days logout domains given entry_hash directory_code text action people emails changes`.split(
    /\s+/,
  ),
)
/** They answer 403 before they look at anything. */
const ofTheInstallation =
  /^\/(roles|services|permissions|keys|mails|policy|branding|break-glass|assertion-issuers|declared|move-in|organisations$)/

onEachDatabase('a reference', (dialect) => {
  const tessera = administeredOn(dialect)
  let asking: [string, Administrator][]
  let abroad: string
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/units', { organisation_uuid: globex, code: 'abroad', name: 'Abroad' })
    abroad = String(made.json.uuid)
    await admin.post('/clients', { ...web, client_id: 'acme-web', services: ['submissions-tool'] })
    expect((await admin.post('/clients', acting)).status).toBe(201)
    expect((await admin.post('/clients', wiki)).status).toBe(201)
    asking = [
      ['a machine', await Administrator.machine(tessera.url, 'acme-cli')],
      ['a person', await Administrator.person(tessera.url, heads.head)],
      ['a person of a unit', await Administrator.person(tessera.url, heads.unitHead)],
    ]
  })

  it('to what is elsewhere is answered as one to what is not there', async () => {
    const before = await everythingIn(tessera)
    for (const [field, method, path, elsewhere, body] of cases(abroad)) {
      const nothing = ofNothing(elsewhere)
      for (const [who, one] of asking) {
        const answered = async (value: string) => {
          const { status, headers, text } = await one.ask(method, path, { body: body(value), match: '*' })
          const told = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
          return JSON.stringify([status, told, text]).replaceAll(value, 'VALUE')
        }
        const name = `${who}: ${method} ${path} ${field} ${elsewhere}`
        // A service is named in its permissions, which are of another length when it is not there.
        const [there, not] = [await answered(elsewhere), await answered(nothing)]
        expect(there, name).toBe(not)
        expect(Number(there.slice(1, 4)), name).toBeGreaterThanOrEqual(400)
      }
    }
    expect(await everythingIn(tessera)).toEqual(before)
  })

  it('is tried of every field of every body', () => {
    const tried = new Set(
      cases(abroad).map(([field, method, path]) => `${method} /${path.split('/')[1]} ${field}`),
    )
    const untried = adminRoutes
      .filter((route) => route.body !== undefined && !ofTheInstallation.test(route.path))
      .flatMap((route) =>
        Object.keys(route.body?.shape ?? {})
          .filter((field) => !others.has(field))
          .map((field) => `${route.method} /${route.path.split('/')[1]} ${field}`),
      )
      .filter((one) => !tried.has(one))
    expect(untried).toEqual([])
  })

  describe('in a question', () => {
    it.each([
      ['/users?organisation_uuid=', globex],
      ['/users?organisation_unit_uuid=', 'abroad'],
      ['/profiles?user_uuid=', users.nobody],
      ['/profiles?role_code=', 'bookkeeper'],
      ['/profiles?organisation_uuid=', globex],
      ['/profiles?organisation_unit_uuid=', 'abroad'],
      ['/units?organisation_uuid=', globex],
      ['/clients?organisation_uuid=', globex],
      ['/webhooks?organisation_uuid=', globex],
      ['/permissions?service_code=', 'ledger'],
      ['/sessions?user_uuid=', users.nobody],
      ['/token-families?user_uuid=', users.nobody],
      [`/token-families?user_uuid=${users.both}&client_id=`, 'admin-cli'],
      ['/consents?user_uuid=', users.nobody],
      [`/consents?user_uuid=${users.both}&client_id=`, 'admin-cli'],
      ['/audit?user_uuid=', users.nobody],
      ['/audit?actor=', users.nobody],
      ['/audit?target=', users.nobody],
      ['/audit?organisation_uuid=', globex],
      ['/access?permission=', 'ledger.entry.read'],
      ['/access?permission=submissions-tool.vista-import.create&organisation=', globex],
      ['/access?permission=submissions-tool.vista-import.create&organisation=', 'globex'],
      ['/access/explain?permission=submissions-tool.vista-import.create&client_id=', 'ledger-report'],
      [
        `/access/explain?permission=submissions-tool.vista-import.create&profile_uuid=${profiles.admin}&user_uuid=`,
        users.nobody,
      ],
      [
        `/access/explain?permission=submissions-tool.vista-import.create&user_uuid=${users.both}&profile_uuid=`,
        profiles.bothBookkeeper,
      ],
      [
        `/access/explain?user_uuid=${users.both}&profile_uuid=${profiles.bothReader}&permission=`,
        'ledger.entry.read',
      ],
    ])('%s is answered so too', async (path, named) => {
      const elsewhere = named === 'abroad' ? abroad : named
      const nothing = ofNothing(elsewhere)
      for (const [who, one] of asking) {
        const answered = async (value: string) => {
          const { status, headers, text } = await one.get(`${path}${value}`)
          const told = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
          return JSON.stringify([status, told, text]).replaceAll(value, 'VALUE')
        }
        expect(await answered(elsewhere), `${who}: ${elsewhere}`).toBe(await answered(nothing))
      }
    })
  })
})
