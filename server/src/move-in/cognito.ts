import * as z from 'zod'
import { clientOf } from './read-client.ts'
import { personOf } from './read-person.ts'
import { fromRecords, groupOfFile, someText, someTexts, yesOrNo } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type ToldPerson, type ToldStructure } from './told.ts'

/**
 * Amazon Cognito: `aws cognito-idp list-users --user-pool-id …`, or CSV under the names of the import
 * (`get-csv-header`). Groups by `list-groups`, and who is in one by `list-users-in-group`, written into a file of the
 * name `GROUP.group.json`; applications by `describe-user-pool-client`. Cognito hands out no hashes of passwords and no
 * secrets of authenticator apps, to nobody.
 */
export const cognito = fromRecords<Pool>({
  name: 'Cognito',
  lists: ['Users', 'Groups', 'UserPoolClients'],
  begin: () => ({
    name: '',
    groups: new Map(),
    members: new Map(),
    clients: [],
    people: 0,
  }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface Pool {
  name: string
  groups: Map<string, string | undefined>
  /** The groups of each user name. */
  members: Map<string, string[]>
  clients: PoolClient[]
  people: number
}

const attribute = z.object({ Name: z.string(), Value: z.string().catch('') })
const listed = z.object({
  Username: z.string(),
  Attributes: z.array(attribute).catch([]),
  Enabled: yesOrNo,
  UserStatus: someText,
  MFAOptions: z.array(z.unknown()).nullish().catch(undefined),
  UserMFASettingList: someTexts,
})
const group = z.object({ GroupName: z.string(), UserPoolId: someText, Description: someText })
const poolClient = z.object({
  ClientId: z.string(),
  ClientName: someText,
  UserPoolId: someText,
  ClientSecret: someText,
  CallbackURLs: someTexts,
  LogoutURLs: someTexts,
  AllowedOAuthFlows: someTexts,
})
type PoolClient = z.output<typeof poolClient>

/** What everybody has in a pool, as the first of the row's fields or for nothing here. */
const known = new Set([
  ...['sub', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'preferred_username', 'picture'],
  ...['locale', 'zoneinfo', 'phone_number', 'phone_number_verified', 'updated_at', 'identities', 'username'],
  ...['cognito:user_status', 'cognito:username', 'cognito:mfa_enabled'],
])

function learn(pool: Pool, { values, file }: ExportRecord): boolean {
  const { data: ofGroup } = group.safeParse(values)
  if (ofGroup !== undefined) {
    pool.groups.set(ofGroup.GroupName, ofGroup.Description)
    pool.name ||= ofGroup.UserPoolId ?? ''
    return true
  }
  const { data: client } = poolClient.safeParse(values['UserPoolClient'] ?? values)
  if (client !== undefined) {
    pool.clients.push(client)
    pool.name ||= client.UserPoolId ?? ''
    return true
  }
  const somebody = somebodyOf(values)
  if (somebody === undefined) return hasName(values)
  const of = groupOfFile(file)
  if (of !== undefined) {
    if (!pool.groups.has(of)) pool.groups.set(of, undefined)
    pool.members.set(somebody.username, [...(pool.members.get(somebody.username) ?? []), of])
    return true
  }
  pool.people++
  return true
}

const hasName = (values: ExportRecord['values']) =>
  Object.hasOwn(values, 'Username') || Object.hasOwn(values, 'cognito:username')

interface PoolUser {
  username: string
  attributes: ReadonlyMap<string, string>
  enabled: boolean | undefined
  factors: readonly string[]
  status: string | undefined
}

function somebodyOf(values: ExportRecord['values']): PoolUser | undefined {
  const { 'cognito:username': username, 'cognito:mfa_enabled': mfa, ...columns } = values
  if (typeof username === 'string') {
    const attributes = Object.entries(columns).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    )
    const factors = String(mfa).toLowerCase() === 'true' ? ['MFA'] : []
    return { username, attributes: new Map(attributes), enabled: undefined, factors, status: undefined }
  }
  const { data } = listed.safeParse(values)
  if (data === undefined) return undefined
  return {
    username: data.Username,
    attributes: new Map(data.Attributes.map((one) => [one.Name, one.Value])),
    enabled: data.Enabled,
    factors: [...data.UserMFASettingList, ...(data.MFAOptions ?? []).map(() => 'SMS_MFA')],
    status: data.UserStatus,
  }
}

function* structureOf(pool: Pool): Generator<ToldStructure> {
  yield { is: 'system', name: pool.name || 'cognito', label: pool.name || 'Cognito' }
  for (const [id, description] of pool.groups) {
    yield { is: 'role', id, description }
    yield { is: 'group', id, roles: [id] }
  }
  const isWithoutMembers = pool.groups.size > 0 && pool.members.size === 0
  if (isWithoutMembers)
    yield decide(
      'No file says who is in a group: write list-users-in-group into GROUP.group.json for each.',
      [...pool.groups.keys()].slice(0, 3).join(', '),
    )
  if (pool.people > 0)
    yield decide(
      'Cognito hands out no hashes of passwords, to nobody: everybody sets a password by a mailed link.',
      `${pool.people.toLocaleString('en')} people`,
    )
  for (const client of pool.clients)
    yield* clientOf({
      clientId: client.ClientId,
      name: client.ClientName,
      kind: client.AllowedOAuthFlows.includes('client_credentials')
        ? 'machine'
        : client.ClientSecret === undefined
          ? 'public'
          : 'web',
      redirects: client.CallbackURLs,
      afterLogout: client.LogoutURLs,
      grants: client.AllowedOAuthFlows.map((one) => (one === 'code' ? 'authorization_code' : one)),
      secret: client.ClientSecret,
      firstParty: true,
    })
}

/** States in which nobody has a password of their own. */
const temporary = new Set(['FORCE_CHANGE_PASSWORD', 'RESET_REQUIRED'])

function* peopleOf({ values, file, at }: ExportRecord, { members }: Pool): Generator<ToldPerson | Remark> {
  if (groupOfFile(file) !== undefined || !hasName(values)) return
  const somebody = somebodyOf(values)
  const verified = yesOrNo.safeParse(somebody?.attributes.get('email_verified'))
  if (somebody === undefined || !verified.success) {
    yield lost('An entry of the people is not as Cognito writes it, and is left out.', at)
    return
  }
  const { username, attributes, enabled, factors, status = '' } = somebody
  const of = (name: string) => attributes.get(name)?.trim() || undefined
  const others = [...attributes].filter(([name, value]) => !known.has(name) && value !== '')
  if (temporary.has(status)) yield lost('A temporary password does not come along.', of('email') ?? username)
  yield* personOf({
    system: 'Cognito',
    subject: of('sub') ?? username,
    email: of('email'),
    emailVerified: verified.data,
    name: of('name'),
    givenName: of('given_name'),
    familyName: of('family_name'),
    username:
      of('preferred_username') ?? (username === of('sub') || username === of('email') ? undefined : username),
    picture: of('picture'),
    locale: of('locale'),
    zoneinfo: of('zoneinfo'),
    active: enabled,
    lostFactors: factors,
    providers: status === 'EXTERNAL_PROVIDER' ? [username.split('_')[0] ?? ''] : [],
    withoutPassword: 'Somebody gets a mailed link, by which they set a password.',
    groups: members.get(username) ?? [],
    attributes: Object.fromEntries(others.map(([name, value]) => [name, [value]])),
  })
}
