import { Secret } from 'otpauth'
import * as z from 'zod'
import { personOf } from './read-person.ts'
import { anId, fromRecords, Names, someText, yesOrNo } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { lost, type Remark, type ToldPerson, type ToldStructure } from './told.ts'

/**
 * Django: `manage.py dumpdata auth contenttypes --output people.json`, with the application of one's own user model in
 * place of or beside `auth`, and with `account`, `socialaccount`, `mfa` (allauth) and `otp_totp` where they are there
 * (`--natural-foreign` may be given). A model of people is one that has a password beside an address or a user name.
 */
export const django = fromRecords<Site>({
  name: 'Django',
  lists: [],
  begin: () => ({
    groups: new Map(),
    groupNames: new Map(),
    permissionIds: new Map(),
    contentTypes: new Map(),
    held: new Names(),
    verified: new Set(),
    hasAddresses: false,
    codes: new Map(),
    lostFactors: new Map(),
    providers: new Map(),
  }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

interface Site {
  /** The permissions of each group, as the dump names them. */
  groups: Map<string, readonly Reference[]>
  groupNames: Map<string, string>
  permissionIds: Map<string, { codename: string; type: Reference; description: string }>
  contentTypes: Map<string, string>
  /** Permissions of people, beside those of their groups. */
  held: Names
  /** Person and address, in lower case. */
  verified: Set<string>
  hasAddresses: boolean
  /** The authenticator app of each person. */
  codes: Map<string, string>
  lostFactors: Map<string, string[]>
  providers: Map<string, string[]>
}

/** Another entry, by its key, or by what it is known by (`--natural-foreign`). */
const reference = z.union([anId, z.array(z.unknown())])
type Reference = z.output<typeof reference>
const references = z.array(reference).catch([])
const keyOf = (one: Reference): string => (typeof one === 'string' ? one : JSON.stringify(one))

const entry = z.object({
  model: z.string().transform((one) => one.toLowerCase()),
  pk: anId.nullish(),
  fields: z.record(z.string(), z.unknown()),
})

const group = z.object({ name: z.string(), permissions: references })
const permission = z.object({ name: z.string().catch(''), content_type: reference, codename: z.string() })
const contentType = z.object({ app_label: z.string() })
const address = z.object({ user: reference, email: z.string(), verified: yesOrNo })
const ofSomebody = z.object({ user: reference })
const social = z.object({ user: reference, provider: z.string() })
const device = z.object({
  user: reference,
  key: z.string().regex(/^([0-9a-f]{2})+$/i),
  confirmed: yesOrNo,
  step: z.int().catch(30),
  digits: z.int().catch(6),
  t0: z.int().catch(0),
})
const authenticator = z.object({
  user: reference,
  type: z.string(),
  data: z.object({ secret: someText }).catch({ secret: undefined }),
})

type Learns = (site: Site, fields: Record<string, unknown>, pk: string) => boolean

const noted = (all: Map<string, string[]>, key: string, value: string) =>
  void all.set(key, [...(all.get(key) ?? []), value])

/** Models beside the people, by their names; of what is not as it should be, nothing is learned. */
const models: Readonly<Record<string, Learns>> = {
  'auth.group': (site, fields, pk) => {
    const { data } = group.safeParse(fields)
    if (data === undefined) return false
    site.groupNames.set(pk, data.name)
    site.groupNames.set(JSON.stringify([data.name]), data.name)
    site.groups.set(data.name, data.permissions)
    return true
  },
  'auth.permission': (site, fields, pk) => {
    const { data } = permission.safeParse(fields)
    if (data === undefined) return false
    const { codename, content_type: type, name: description } = data
    site.permissionIds.set(pk || `${codename} ${keyOf(type)}`, { codename, type, description })
    return true
  },
  'contenttypes.contenttype': (site, fields, pk) => {
    const { data } = contentType.safeParse(fields)
    if (data !== undefined) site.contentTypes.set(pk, data.app_label)
    return data !== undefined
  },
  'account.emailaddress': (site, fields) => {
    const { data } = address.safeParse(fields)
    if (data === undefined) return false
    site.hasAddresses = true
    if (data.verified === true) site.verified.add(`${keyOf(data.user)} ${data.email.toLowerCase()}`)
    return true
  },
  'socialaccount.socialaccount': (site, fields) => {
    const { data } = social.safeParse(fields)
    if (data !== undefined) noted(site.providers, keyOf(data.user), data.provider)
    return data !== undefined
  },
  'otp_totp.totpdevice': (site, fields) => {
    const { data } = device.safeParse(fields)
    if (data === undefined) return false
    const { user, key, step, digits, t0, confirmed } = data
    const secret = Secret.fromHex(key).base32
    const address = `otpauth://totp/Django?secret=${secret}&algorithm=SHA1&digits=${digits}&period=${step}`
    if (confirmed === false) return true
    // Its clock begins elsewhere, which no other reader of codes knows.
    if (t0 === 0) site.codes.set(keyOf(user), address)
    else noted(site.lostFactors, keyOf(user), 'TOTP')
    return true
  },
  'mfa.authenticator': (site, fields) => {
    const { data } = authenticator.safeParse(fields)
    if (data === undefined) return false
    const { user, type } = data
    // allauth can encrypt it by an adapter: what is no base32 is lost.
    const { secret } = data.data
    if (type === 'totp' && secret !== undefined && /^[A-Z2-7]{16,}=*$/i.test(secret))
      site.codes.set(keyOf(user), secret)
    else if (type !== 'recovery_codes') noted(site.lostFactors, keyOf(user), type)
    return true
  },
}
const others: readonly [RegExp, string][] = [
  [/^otp_(email|static|hotp)\./, 'a device of django-otp'],
  [/^two_factor\.phonedevice$/, 'SMS'],
]

/** What dumps hold of no meaning here. */
const silent = new Set([
  'sessions.session',
  'admin.logentry',
  'sites.site',
  'authtoken.token',
  'socialaccount.socialapp',
])

const isPerson = (fields: Record<string, unknown>) =>
  Object.hasOwn(fields, 'password') && ['email', 'username'].some((one) => Object.hasOwn(fields, one))

function learn(site: Site, { values }: ExportRecord): boolean {
  const { data } = entry.safeParse(values)
  if (data === undefined) return false
  const { model, fields, pk } = data
  const learns = Object.hasOwn(models, model) ? models[model] : undefined
  if (learns !== undefined) return learns(site, fields, pk ?? '')
  const other = others.find(([name]) => name.test(model))
  const { data: of } = ofSomebody.safeParse(fields)
  if (other !== undefined && of !== undefined) {
    if (!model.startsWith('otp_static')) noted(site.lostFactors, keyOf(of.user), other[1])
    return true
  }
  if (isPerson(fields)) {
    for (const one of references.parse(fields['user_permissions'] ?? [])) site.held.add(JSON.stringify(one))
    return true
  }
  return silent.has(model)
}

/** The application of a content type. */
function appOf(site: Site, type: Reference): string | undefined {
  if (typeof type === 'string') return site.contentTypes.get(type)
  const [app] = type
  return typeof app === 'string' ? app : undefined
}

/** The id of a permission: `shop/add_order`. */
function permissionOf(site: Site, one: Reference): string | undefined {
  if (typeof one !== 'string') {
    const [codename, app] = one
    return typeof codename === 'string' && typeof app === 'string' ? `${app}/${codename}` : undefined
  }
  const known = site.permissionIds.get(one)
  const app = known === undefined ? undefined : appOf(site, known.type)
  return app === undefined ? undefined : `${app}/${known?.codename}`
}

function* structureOf(site: Site): Generator<ToldStructure> {
  yield { is: 'system', name: 'django', label: 'Django', editsOthers: false }
  const told = new Set<string>()
  const given = [
    ...[...site.permissionIds.values()].map(({ codename, type, description }) => {
      const app = appOf(site, type)
      return { id: app === undefined ? undefined : `${app}/${codename}`, description }
    }),
    ...[...site.groups.values()]
      .flat()
      .map((one) => ({ id: permissionOf(site, one), description: undefined })),
    ...site.held.sorted().map((one) => ({
      id: permissionOf(site, reference.parse(JSON.parse(one))),
      description: undefined,
    })),
  ]
  for (const { id, description } of given) {
    if (id === undefined || told.has(id)) continue
    told.add(id)
    yield { is: 'role', id, of: { id: id.slice(0, id.indexOf('/')) }, description }
  }
  for (const [name, permissions] of site.groups) {
    const parts = permissions.flatMap((one) => permissionOf(site, one) ?? [])
    yield { is: 'role', id: name, parts }
    yield { is: 'group', id: name, roles: [name] }
    if (parts.length < permissions.length)
      yield lost(
        'Permissions of a group are not in the dump: add auth.permission and contenttypes to it.',
        name,
      )
  }
  // Both open Django's own administration, and nothing here.
  for (const id of ['is_superuser', 'is_staff']) yield { is: 'role', id, own: true, administers: true }
  if (!site.hasAddresses)
    yield lost(
      'The dump does not say whose address is verified (only allauth does): none is.',
      'account.emailaddress',
    )
}

const person = z.object({
  password: someText,
  email: someText,
  username: someText,
  first_name: someText,
  last_name: someText,
  full_name: someText,
  name: someText,
  is_active: yesOrNo,
  is_superuser: yesOrNo,
  is_staff: yesOrNo,
  groups: references,
  user_permissions: references,
})

function* peopleOf({ values, at }: ExportRecord, site: Site): Generator<ToldPerson | Remark> {
  const read = entry.safeParse(values).data
  if (read === undefined || Object.hasOwn(models, read.model) || !isPerson(read.fields)) return
  const { data } = person.safeParse(read.fields)
  if (data === undefined) {
    yield lost('An entry of the people is not as Django writes it, and is left out.', at)
    return
  }
  const { password = '', email, username } = data
  // Others know them by their key, or by what a natural key is made of.
  const keys = [
    ...(read.pk ? [read.pk] : []),
    ...[username, email].flatMap((one) => (one === undefined ? [] : [JSON.stringify([one])])),
  ]
  const of = <Value>(all: ReadonlyMap<string, Value>) =>
    keys.map((one) => all.get(one)).find((one) => one !== undefined)
  const groups = data.groups.flatMap((one) => site.groupNames.get(keyOf(one)) ?? [])
  if (groups.length < data.groups.length)
    yield lost(
      'A group that somebody is in is not in the dump: add auth.group to it.',
      email ?? username ?? at,
    )
  yield* personOf({
    system: 'Django',
    subject: read.pk ?? undefined,
    email,
    emailVerified:
      email !== undefined && keys.some((one) => site.verified.has(`${one} ${email.toLowerCase()}`)),
    name: data.full_name ?? data.name,
    givenName: data.first_name,
    familyName: data.last_name,
    username: username === email ? undefined : username,
    active: data.is_active,
    // What begins so is the password of nobody (set_unusable_password).
    hash: password === '' || password.startsWith('!') ? undefined : password,
    totp: of(site.codes),
    lostFactors: of(site.lostFactors),
    providers: of(site.providers),
    roles: [
      ...data.user_permissions.flatMap((one) => permissionOf(site, one) ?? []),
      ...(data.is_superuser === true ? ['is_superuser'] : []),
      ...(data.is_staff === true ? ['is_staff'] : []),
    ],
    groups,
  })
}
