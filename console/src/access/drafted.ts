/** Drafted changes: as the address has them, and as the API takes them. */

/** What can be disabled, by the list of it. */
export const disablable = ['users', 'roles', 'organisations', 'units', 'clients'] as const
export type Disablable = (typeof disablable)[number]

export type Drafted =
  | { kind: 'give'; user: string; role: string; organisation: string; unit: string }
  | { kind: 'end'; profile: string; user: string }
  | { kind: 'disable'; what: Disablable; id: string }
  | { kind: 'adds' | 'takes'; role: string; permission: string }

/** The API tries out no more at once. */
export const most = 20

const partsOf = (one: Drafted): string[] => {
  if (one.kind === 'give') return [one.kind, one.user, one.role, one.organisation, one.unit]
  if (one.kind === 'end') return [one.kind, one.profile, one.user]
  if (one.kind === 'disable') return [one.kind, one.what, one.id]
  return [one.kind, one.role, one.permission]
}

/** One as the address has it: its parts, which hold no comma. */
export const textOf = (one: Drafted): string => partsOf(one).map(encodeURIComponent).join(',')

/** The draft as the address has it. */
export const addressOf = (draft: readonly Drafted[]): string => draft.map(textOf).join(';')

/** The draft of an address. What is none of ours is passed over: anybody may have made the link. */
export const draftIn = (text: string | undefined): Drafted[] =>
  (text ?? '')
    .split(';')
    .flatMap((one) => draftedIn(one) ?? [])
    .slice(0, most)

function draftedIn(text: string): Drafted | undefined {
  const [kind, first = '', second = '', third = '', fourth = ''] = text.split(',').map(decoded)
  if (first === '' || second === '') return undefined
  if (kind === 'give') return { kind, user: first, role: second, organisation: third, unit: fourth }
  if (kind === 'end') return { kind, profile: first, user: second }
  if (kind === 'adds' || kind === 'takes') return { kind, role: first, permission: second }
  const what = disablable.find((one) => one === first)
  return kind === 'disable' && what !== undefined ? { kind, what, id: second } : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

export interface Sent {
  method: 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: Record<string, unknown>
}

const at = (list: string, id: string) => `/${list}/${encodeURIComponent(id)}`

/** A change as the API takes it; `permissions` are those of its role until then. */
export function sentOf(one: Drafted, permissions: readonly string[]): Sent {
  if (one.kind === 'give') {
    const place = { organisation_uuid: one.organisation || null, organisation_unit_uuid: one.unit || null }
    return { method: 'POST', path: '/profiles', body: { user_uuid: one.user, role_code: one.role, ...place } }
  }
  if (one.kind === 'end') return { method: 'DELETE', path: at('profiles', one.profile) }
  if (one.kind === 'disable') return { method: 'PATCH', path: at(one.what, one.id), body: { active: false } }
  return { method: 'PATCH', path: at('roles', one.role), body: { permissions: withChange(one, permissions) } }
}

type RoleDraft = Extract<Drafted, { permission: string }>

const withChange = ({ kind, permission }: RoleDraft, permissions: readonly string[]): string[] => {
  const others = permissions.filter((other) => other !== permission)
  return (kind === 'adds' ? [...others, permission] : others).toSorted()
}

/** The roles whose permissions it changes. */
export const rolesIn = (draft: readonly Drafted[]): string[] => [
  ...new Set(draft.flatMap((one) => ('permission' in one ? one.role : []))),
]

/** All of a draft as the API takes it, one after the other: several may be about one role. */
export function allSent(
  draft: readonly Drafted[],
  roles: Readonly<Record<string, readonly string[]>>,
): Sent[] {
  const known = new Map(Object.entries(roles))
  return draft.map((one) => {
    if (!('permission' in one)) return sentOf(one, [])
    const before = known.get(one.role) ?? []
    known.set(one.role, withChange(one, before))
    return sentOf(one, before)
  })
}
