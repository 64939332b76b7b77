import * as z from 'zod'
import { parseJson } from '../../protocol/json.ts'
import { isUuid, localeProblem, textProblem, timeZoneProblem } from '../../protocol/values.ts'
import { redirectUriProblem } from '../../protocol/redirect-uri.ts'
import { decide, type Remark, lost, type SourceOptions, type ToldMachine, type ToldPerson } from '../told.ts'
import { type Realm, roleIds } from './realm.ts'

const texts = z.array(z.string()).catch([])

/** Some versions write the two objects of a credential as text. */
const credential = z.object({
  type: z.string(),
  userLabel: z.string().nullish().catch(undefined),
  priority: z.number().catch(0),
  secretData: z.unknown(),
  credentialData: z.unknown(),
})
type ExportedCredential = z.output<typeof credential>

const user = z.object({
  id: z.string().optional(),
  username: z.string(),
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  email: z.string().nullish(),
  emailVerified: z.boolean().catch(false),
  // Keycloak takes a missing one so too.
  enabled: z.boolean().catch(false),
  attributes: z.record(z.string(), z.union([z.array(z.string()), z.string()])).catch({}),
  credentials: z.array(credential).catch([]),
  requiredActions: texts,
  federatedIdentities: z.array(z.object({ identityProvider: z.string() })).catch([]),
  federationLink: z.string().nullish().catch(undefined),
  serviceAccountClientId: z.string().nullish(),
  realmRoles: texts,
  clientRoles: z.record(z.string(), texts).catch({}),
  groups: texts,
})
type User = z.output<typeof user>
const named = z.object({ username: z.string() }).partial().catch({})
const ofCode = z.object({ subType: z.string() })

/** The organisations of each user name. */
export type Memberships = ReadonlyMap<string, readonly string[]>

type Told = ToldPerson | ToldMachine | Remark

/** Reads a person, as an entry of `users` or as a document of their own. */
export function toldPerson(json: string, realm: Realm, members: Memberships, options: SourceOptions): Told[] {
  const read = readUser(json)
  if ('unreadable' in read) return [lost(read.unreadable, read.label)]
  const { serviceAccountClientId: machine, groups } = read
  const roles = roleIds(read.realmRoles, read.clientRoles)
  if (machine !== undefined && machine !== null) {
    const client_id = realm.machines.get(machine)
    return client_id === undefined ? [] : [{ is: 'machine', client_id, roles, groups }]
  }
  const { username, email } = read
  if (email === undefined || email === null || email === '')
    return [
      decide('Somebody has no e-mail address, by which people sign in here: give one in Keycloak.', username),
    ]
  const factors = factorsOf(read, realm, options)
  return [
    {
      is: 'person',
      label: username,
      row: { ...columnsOf(read, email), ...factors.row, ...demandsOf(read, factors) },
      roles,
      groups,
      organisations: members.get(username) ?? [],
      attributes: Object.fromEntries(
        Object.entries(read.attributes).map(([name, value]) => [
          name,
          typeof value === 'string' ? [value] : value,
        ]),
      ),
    },
    ...factors.remarks,
    ...furtherRemarks(read),
  ]
}

function readUser(json: string): User | { unreadable: string; label: string } {
  let value: unknown
  try {
    value = parseJson(json)
  } catch {
    return { unreadable: 'An entry of the people is no JSON, or has a name twice.', label: '' }
  }
  const { data } = user.safeParse(value)
  const isNot = 'An entry of the people is not as Keycloak writes it.'
  return data ?? { unreadable: isNot, label: named.parse(value).username ?? '' }
}

function columnsOf(
  { id = '', username, firstName, lastName, emailVerified, enabled, attributes }: User,
  email: string,
) {
  const full = [firstName, lastName].filter((one) => typeof one === 'string' && one.trim() !== '').join(' ')
  const name = [full, username].find(isName) ?? email
  const subject = isUuid(id) ? { uuid: id.toLowerCase() } : id === '' ? {} : { former_sub: id }
  const claims = {
    locale: firstOf(attributes, 'locale', (one) => localeProblem(one) === undefined),
    zoneinfo: firstOf(attributes, 'zoneinfo', (one) => timeZoneProblem(one) === undefined),
    picture: firstOf(attributes, 'picture', (one) => redirectUriProblem(one, 'web') === undefined),
  }
  return {
    ...subject,
    email,
    email_verified: emailVerified,
    name,
    ...(isName(firstName) && { given_name: firstName }),
    ...(isName(lastName) && { family_name: lastName }),
    ...(isName(username) && { preferred_username: username }),
    ...Object.fromEntries(Object.entries(claims).filter(([, one]) => one !== undefined)),
    ...(!enabled && { active: false }),
  }
}

/** Whether a name can stand here: nobody is left behind for one that can't. */
const isName = (text: string | null | undefined): text is string =>
  typeof text === 'string' && textProblem(200)(text) === undefined

function firstOf(
  attributes: User['attributes'],
  name: string,
  fits: (text: string) => boolean,
): string | undefined {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return [value ?? []].flat().find(fits)
}

interface Factors {
  row: Record<string, unknown>
  /** Whether a second factor is left behind. */
  loses: boolean
  remarks: Remark[]
}

/** What proves somebody. Keycloak asks for the credential of the highest place first; so each kind is taken in order. */
function factorsOf(person: User, realm: Realm, { rpId }: SourceOptions): Factors {
  const { username, credentials, id = '' } = person
  const of = (...types: string[]) => credentials.filter((one) => types.includes(one.type))
  const [password, ...others] = of('password')
  const codes = of('otp')
  const [app, ...apps] = codes.filter((one) => subTypeOf(one) === 'totp')
  const domainOf = ({ type }: ExportedCredential) =>
    (type === 'webauthn' ? realm.rpId : realm.passwordlessRpId) || rpId
  const keys = of('webauthn', 'webauthn-passwordless')
  const isElsewhere = (one: ExportedCredential) =>
    rpId !== undefined && domainOf(one) !== undefined && domainOf(one) !== rpId
  const placed = keys.filter((one) => domainOf(one) !== undefined && !isElsewhere(one))
  const remarks = [
    ...keys
      .filter(isElsewhere)
      .map(() =>
        lost(
          'A passkey or security key is of another domain, and of no use here: people set up another.',
          username,
        ),
      ),
    ...others.map(() => lost('Somebody has a second password, which is left out.', username)),
    ...codes
      .filter((one) => subTypeOf(one) !== 'totp')
      .map(() =>
        lost('Codes by a counter (HOTP) are not here: the person sets up another second factor.', username),
      ),
    ...apps.map(() => lost('Somebody has a second authenticator app; one comes along.', username)),
    ...of('recovery-authn-codes').map(() =>
      lost('Recovery codes do not come along: people make new ones.', username),
    ),
    ...of('password-history').map(() =>
      lost('Former passwords are left out, and so may be chosen again.', username),
    ),
    ...keys
      .filter((one) => domainOf(one) === undefined)
      .map(() =>
        decide(
          'The realm does not say the domain of its passkeys: run again with --rp-id, the host of Keycloak.',
          username,
        ),
      ),
  ]
  const row = {
    ...(password !== undefined && { password_hash: dataOf(password) }),
    ...(app !== undefined && { totp_secret: { type: 'otp', ...dataOf(app) } }),
    ...(placed.length > 0 && {
      user_handle: Buffer.from(id).toString('base64url'),
      passkeys: placed.map((one) => ({
        type: one.type,
        ...dataOf(one),
        ...(typeof one.userLabel === 'string' && { userLabel: one.userLabel }),
        rp_id: domainOf(one),
      })),
    }),
  }
  const hadFactor = codes.length + keys.length > 0
  return { row, loses: hadFactor && app === undefined && placed.length === 0, remarks }
}

const dataOf = ({ credentialData, secretData }: ExportedCredential) => ({ credentialData, secretData })

/** `totp` or `hotp`. */
function subTypeOf({ credentialData: data }: ExportedCredential): string {
  try {
    const value: unknown = typeof data === 'string' ? parseJson(data) : data
    return ofCode.parse(value).subType
  } catch {
    return ''
  }
}

/** What somebody has to do at the next sign-in. */
function demandsOf({ requiredActions }: User, { row, loses }: Factors) {
  const demands = (...names: string[]) => requiredActions.some((one) => names.includes(one))
  const mustEnrol = loses || demands('CONFIGURE_TOTP', 'webauthn-register', 'webauthn-register-passwordless')
  return {
    ...(demands('UPDATE_PASSWORD') && row['password_hash'] !== undefined && { password_temporary: true }),
    ...(mustEnrol && { enrolment_required: true }),
  }
}

const kept = new Set([
  ...['UPDATE_PASSWORD', 'CONFIGURE_TOTP', 'VERIFY_EMAIL'],
  ...['webauthn-register', 'webauthn-register-passwordless', 'CONFIGURE_RECOVERY_AUTHN_CODES'],
])

function furtherRemarks({
  emailVerified,
  username,
  firstName,
  lastName,
  requiredActions,
  federatedIdentities,
  federationLink,
  credentials,
}: User): Remark[] {
  const names = [firstName, lastName, username].filter((one) => typeof one === 'string' && one.trim() !== '')
  return [
    ...([...names, names.slice(0, -1).join(' ') || username].every(isName)
      ? []
      : [
          lost(
            'A name of somebody is too long, or has characters that none has here: it is left out.',
            username,
          ),
        ]),
    ...requiredActions
      .filter((one) => !kept.has(one))
      .map((one) => lost('A required action has no like here.', `${username}: ${one}`)),
    ...federatedIdentities.map(({ identityProvider }) =>
      decide(
        'Somebody signs in through another provider, which does not come along yet: let them set a password by a mailed link.',
        `${username}: ${identityProvider}`,
      ),
    ),
    ...(federationLink
      ? [
          decide(
            'The password of somebody is in a directory (LDAP), not in the export: let them set one by a mailed link.',
            username,
          ),
        ]
      : []),
    ...(!emailVerified && credentials.length > 0
      ? [
          decide(
            'An address was never verified there, and its account has a password: whoever registered it need not be whose address it is. Give such people more only when they have proved it here.',
            username,
          ),
        ]
      : []),
    ...(credentials.length === 0 && federatedIdentities.length === 0 && !federationLink
      ? [decide('Somebody has nothing to sign in with: let them set a password by a mailed link.', username)]
      : []),
  ]
}
