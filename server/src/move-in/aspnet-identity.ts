import * as z from 'zod'
import { personOf } from './read-person.ts'
import { anId, fromRecords, Names, someText, yesOrNo } from './record-source.ts'
import type { ExportRecord } from './records.ts'
import { decide, lost, type Remark, type ToldPerson, type ToldStructure } from './told.ts'

/**
 * ASP.NET Core Identity: the tables of its database, each as CSV with the names of the columns, as a list of JSON
 * (`SELECT * FROM AspNetUsers FOR JSON PATH`, `SELECT json_agg(t) FROM "AspNetUsers" t`), or all in one JSON object by
 * their names: `AspNetUsers`, `AspNetRoles`, `AspNetUserRoles`, `AspNetUserTokens`, `AspNetUserLogins`,
 * `AspNetUserClaims`. Which table a row is of is seen from its columns.
 */
export const aspnetIdentity = fromRecords<IdentityTables>({
  name: 'ASP.NET Identity',
  lists: [
    ...['AspNetUsers', 'AspNetRoles', 'AspNetUserRoles', 'AspNetUserTokens', 'AspNetUserLogins'],
    ...['AspNetUserClaims', 'AspNetRoleClaims'],
  ],
  begin: () => ({
    roles: new Map(),
    held: new Map(),
    keys: new Map(),
    logins: new Map(),
    claims: new Map(),
    names: new Names(),
  }),
  learn,
  structure: structureOf,
  people: peopleOf,
})

/** Values by the id of somebody, in lower case: databases write GUIDs in both. */
type ByUser<Value> = Map<string, Value>

interface IdentityTables {
  /** Names of roles, by id. */
  roles: Map<string, string>
  held: ByUser<string[]>
  /** The secrets of authenticator apps, which count where somebody turned them on. */
  keys: ByUser<string>
  logins: ByUser<string[]>
  claims: ByUser<{ type: string; value: string }[]>
  names: Names
}

const key = anId.transform((one) => one.trim().toLowerCase())
const shapes = {
  userRole: z.object({ UserId: key, RoleId: key }),
  token: z.object({ UserId: key, LoginProvider: z.string(), Name: z.string(), Value: someText }),
  login: z.object({ UserId: key, LoginProvider: z.string(), ProviderKey: z.string() }),
  claim: z.object({ UserId: key, ClaimType: z.string(), ClaimValue: someText }),
  roleClaim: z.object({ RoleId: key, ClaimType: z.string() }),
  role: z.object({ Id: key, Name: z.string(), NormalizedName: z.string().nullish() }),
}

const person = z.object({
  Id: anId,
  UserName: someText,
  Email: someText,
  EmailConfirmed: yesOrNo,
  PasswordHash: someText,
  LockoutEnd: someText,
  LockoutEndDateUtc: someText,
  LockoutEnabled: yesOrNo,
  TwoFactorEnabled: yesOrNo,
})

const isPerson = (values: ExportRecord['values']) =>
  Object.hasOwn(values, 'Id') &&
  ['PasswordHash', 'SecurityStamp', 'NormalizedUserName', 'EmailConfirmed'].some((one) =>
    Object.hasOwn(values, one),
  )

/** What Management Studio and psql write for nothing. */
const withoutNulls = (values: ExportRecord['values']) =>
  Object.fromEntries(Object.entries(values).filter(([, one]) => one !== 'NULL' && one !== '\\N'))

const noted = <Value>(all: ByUser<Value[]>, user: string, value: Value) =>
  void all.set(user, [...(all.get(user) ?? []), value])

function learn(tables: IdentityTables, record: ExportRecord): boolean {
  const values = withoutNulls(record.values)
  if (isPerson(record.values)) return true
  const token = shapes.token.safeParse(values).data
  const login = shapes.login.safeParse(values).data
  const held = shapes.userRole.safeParse(values).data
  const claim = shapes.claim.safeParse(values).data
  const role = shapes.role.safeParse(values).data
  if (token !== undefined) {
    const isKey = token.LoginProvider === '[AspNetUserStore]' && token.Name === 'AuthenticatorKey'
    if (isKey && token.Value !== undefined) tables.keys.set(token.UserId, token.Value)
  } else if (login !== undefined) noted(tables.logins, login.UserId, login.LoginProvider)
  else if (held !== undefined) noted(tables.held, held.UserId, held.RoleId)
  else if (claim !== undefined) {
    noted(tables.claims, claim.UserId, { type: claim.ClaimType, value: claim.ClaimValue ?? '' })
    tables.names.add(claim.ClaimType)
  } else if (role !== undefined) tables.roles.set(role.Id, role.Name)
  else return shapes.roleClaim.safeParse(values).success
  return true
}

function* structureOf({ roles, held, names }: IdentityTables): Generator<ToldStructure> {
  yield { is: 'system', name: 'aspnet-identity', label: 'ASP.NET Identity' }
  for (const id of new Set(roles.values())) yield { is: 'role', id }
  for (const name of names.sorted()) yield { is: 'attribute', name, editableByPeople: false }
  if (roles.size > 0 && held.size === 0)
    yield decide(
      'No file says who holds which role: add AspNetUserRoles.',
      [...roles.values()].slice(0, 3).join(', '),
    )
}

function* peopleOf({ values, at }: ExportRecord, tables: IdentityTables): Generator<ToldPerson | Remark> {
  if (!isPerson(values)) return
  const { data } = person.safeParse(withoutNulls(values))
  const end = data?.LockoutEnd ?? data?.LockoutEndDateUtc
  const lockedUntil = end === undefined ? 0 : instantIn(end)
  if (data === undefined || Number.isNaN(lockedUntil)) {
    yield lost('An entry of the people is not as ASP.NET Identity writes it, and is left out.', at)
    return
  }
  const { Id: id, Email: email, UserName: username, TwoFactorEnabled: twoFactor } = data
  const label = email ?? username ?? id
  const isLocked = data.LockoutEnabled !== false && lockedUntil > endOfLocks
  if (end !== undefined && !isLocked)
    yield decide(
      'Somebody was locked out until a time, which does not come along: see whether they are to be disabled.',
      label,
    )
  const of = <Value>(all: ByUser<Value>) => all.get(id.trim().toLowerCase())
  const roles = of(tables.held) ?? []
  if (roles.some((one) => !tables.roles.has(one)))
    yield lost('A role that somebody holds is not in the export: add AspNetRoles.', label)
  const code = twoFactor === true ? of(tables.keys) : undefined
  const claims = (of(tables.claims) ?? []).map(({ type, value }) => [type, [value]] as const)
  yield* personOf({
    system: 'ASP.NET Identity',
    subject: id.trim(),
    email,
    emailVerified: data.EmailConfirmed,
    username: username === email ? undefined : username,
    active: !isLocked,
    hash: data.PasswordHash,
    totp: code,
    // Codes by mail or text need no secret: whoever had them had no app.
    lostFactors: twoFactor === true && code === undefined ? ['two-factor'] : [],
    providers: of(tables.logins),
    roles: roles.flatMap((one) => tables.roles.get(one) ?? []),
    attributes: Object.fromEntries(claims),
  })
}

/** A lock that ends later is none for a few wrong passwords: applications disable people so. */
const endOfLocks = Date.UTC(2100, 0)

/** SQL Server writes a space before the offset. */
const instantIn = (text: string): number =>
  Date.parse(
    text
      .replace(/^(\d{4}-\d\d-\d\d)[ T]/, '$1T')
      .replace(/(\.\d{3})\d+/, '$1')
      .replace(' ', ''),
  )
