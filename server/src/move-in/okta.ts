import * as z from 'zod'
import { clientOf } from './read-client.ts'
import { attributesOf, personOf } from './read-person.ts'
import { fromRecords, groupOfFile, someText, someTexts } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type ToldPerson, type ToldStructure } from './told.ts'

/**
 * Okta: the answers of `GET /api/v1/users` (all pages, one after the other), or the CSV of people from the console.
 * Groups by `GET /api/v1/groups`, and who is in one by `GET /api/v1/groups/ID/users`, written into a file of the name
 * `GROUP.group.json`; applications by `GET /api/v1/apps`. Okta hands out no hashes of passwords; where somebody has the
 * bcrypt hashes with which people were once imported, they stand as `credentials.password.hash`.
 */
export const okta = fromRecords<Org>({
  name: 'Okta',
  lists: [],
  begin: () => ({ groups: new Map(), members: new Map(), clients: [], people: 0 }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface Org {
  groups: Map<string, string | undefined>
  /** The groups of each login. */
  members: Map<string, string[]>
  clients: OktaApp[]
  people: number
}

const hash = z.object({
  algorithm: z.string(),
  workFactor: z.int().optional(),
  salt: z.string().optional(),
  value: z.string(),
})
const user = z.object({
  id: z.string(),
  status: z.literal([
    'STAGED',
    'PROVISIONED',
    'ACTIVE',
    'RECOVERY',
    'LOCKED_OUT',
    'PASSWORD_EXPIRED',
    'SUSPENDED',
    'DEPROVISIONED',
  ]),
  profile: z.record(z.string(), z.unknown()),
  credentials: z
    .object({
      password: z.object({ hash: hash.optional().catch(undefined) }).optional(),
      provider: z.object({ type: z.string(), name: z.string().catch('') }).optional(),
    })
    .nullish()
    .catch(undefined),
})
/** CSV has the profile alone. */
const row = z.object({ login: z.string(), email: z.string() })

const group = z.object({
  type: z.enum(['OKTA_GROUP', 'APP_GROUP', 'BUILT_IN']),
  profile: z.object({ name: z.string(), description: someText }),
})
const app = z.object({
  label: someText,
  status: someText,
  signOnMode: z.literal('OPENID_CONNECT'),
  credentials: z.object({
    oauthClient: z.object({
      client_id: z.string(),
      client_secret: someText,
      token_endpoint_auth_method: someText,
    }),
  }),
  settings: z.object({
    oauthClient: z.object({
      application_type: someText,
      redirect_uris: someTexts,
      post_logout_redirect_uris: someTexts,
      grant_types: someTexts,
      client_uri: someText,
      logo_uri: someText,
      consent_method: someText,
      jwks: z.unknown().optional(),
      jwks_uri: someText,
    }),
  }),
})
type OktaApp = z.output<typeof app>

const isPerson = ({ values }: ExportRecord) =>
  row.safeParse(values).success ||
  (Object.hasOwn(values, 'profile') &&
    Object.hasOwn(values, 'status') &&
    !Object.hasOwn(values, 'signOnMode'))

function learn(org: Org, record: ExportRecord): boolean {
  const { values, file } = record
  const ofGroup = group.safeParse(values).data
  if (ofGroup !== undefined) {
    // Everybody is in this one.
    if (ofGroup.type !== 'BUILT_IN') org.groups.set(ofGroup.profile.name, ofGroup.profile.description)
    return true
  }
  const ofApp = app.safeParse(values).data
  if (ofApp !== undefined) org.clients.push(ofApp)
  if (ofApp !== undefined || Object.hasOwn(values, 'signOnMode')) return ofApp !== undefined
  if (!isPerson(record)) return false
  const of = groupOfFile(file)
  const id = user.safeParse(values).data?.id
  if (of === undefined) org.people++
  else if (id !== undefined) {
    if (!org.groups.has(of)) org.groups.set(of, undefined)
    org.members.set(id, [...(org.members.get(id) ?? []), of])
  }
  return true
}

const kinds = { web: 'web', native: 'native', browser: 'public', service: 'machine' } as const

function* structureOf(org: Org): Generator<ToldStructure> {
  yield { is: 'system', name: 'okta', label: 'Okta' }
  for (const [id, description] of org.groups) {
    yield { is: 'role', id, description }
    yield { is: 'group', id, roles: [id] }
  }
  if (org.groups.size > 0 && org.members.size === 0)
    yield decide(
      'No file says who is in a group: write GET /api/v1/groups/ID/users into GROUP.group.json for each.',
      [...org.groups.keys()].slice(0, 3).join(', '),
    )
  if (org.people > 0)
    yield decide(
      'Okta does not tell whose address is verified, and hands out no secrets of second factors: people prove the address here, and set up second factors again.',
      `${org.people.toLocaleString('en')} people`,
    )
  for (const one of org.clients) yield* clientOf(readClient(one))
}

function readClient({ label, status, credentials, settings }: OktaApp) {
  const {
    client_id: clientId,
    client_secret: secret,
    token_endpoint_auth_method: method,
  } = credentials.oauthClient
  const { application_type: type = '', jwks, jwks_uri, ...said } = settings.oauthClient
  return {
    clientId,
    name: label,
    kind:
      method === 'none' ? 'public' : Object.hasOwn(kinds, type) ? kinds[type as keyof typeof kinds] : 'web',
    active: status !== 'INACTIVE',
    redirects: said.redirect_uris,
    afterLogout: said.post_logout_redirect_uris,
    grants: said.grant_types.length === 0 ? undefined : said.grant_types,
    secret,
    method,
    keys: jwks_uri !== undefined ? { jwks_uri } : jwks ? { jwks } : undefined,
    firstParty: said.consent_method !== 'REQUIRED',
    home: said.client_uri,
    logo: said.logo_uri,
  } as const
}

const inactive = new Set(['SUSPENDED', 'DEPROVISIONED'])
/** Fields of the profile that are fields of a person here, or say nothing. */
const columns = new Set([
  ...['login', 'email', 'firstName', 'lastName', 'displayName', 'nickName', 'locale', 'preferredLanguage'],
  ...['timezone', 'mobilePhone', 'secondEmail', 'middleName', 'honorificPrefix', 'honorificSuffix'],
])

function* peopleOf(record: ExportRecord, { members }: Org): Generator<ToldPerson | Remark> {
  const { values, file, at } = record
  if (groupOfFile(file) !== undefined || !isPerson(record) || group.safeParse(values).success) return
  const { data } = user.safeParse(values)
  const isRow = !Object.hasOwn(values, 'profile')
  if (data === undefined && !isRow) {
    yield lost('An entry of the people is not as Okta writes it, and is left out.', at)
    return
  }
  const profile = data?.profile ?? values
  const of = (name: string) => someText.parse(profile[name])
  const provider = data?.credentials?.provider
  const others = Object.fromEntries(Object.entries(profile).filter(([name]) => !columns.has(name)))
  yield* personOf({
    system: 'Okta',
    subject: data?.id,
    email: of('email'),
    name: of('displayName'),
    givenName: of('firstName'),
    familyName: of('lastName'),
    username: of('login') === of('email') ? undefined : of('login'),
    locale: of('locale') ?? of('preferredLanguage'),
    zoneinfo: of('timezone'),
    active: !inactive.has(data?.status ?? ''),
    hash: hashOf(data?.credentials?.password?.hash),
    mustChange: data?.status === 'PASSWORD_EXPIRED',
    providers:
      provider === undefined || provider.type === 'OKTA' || provider.type === 'IMPORT'
        ? []
        : [provider.name || provider.type],
    withoutPassword: 'Okta hands out no hash of a password: let people set one by a mailed link.',
    groups: members.get(data?.id ?? '') ?? [],
    attributes: attributesOf(others),
  })
}

/** Okta keeps the parts of a bcrypt hash apart. */
function hashOf(read: z.output<typeof hash> | undefined): string | undefined {
  if (read?.algorithm !== 'BCRYPT' || read.workFactor === undefined || read.salt === undefined)
    return undefined
  return `$2a$${String(read.workFactor).padStart(2, '0')}$${read.salt}${read.value}`
}
