/** The writes at whose boundaries the service is killed: a name, and how the statement begins on both databases. */
export const boundaries = {
  'request kept': 'insert into "authorization_requests"',
  'code issued': 'insert into "authorization_codes"',
  'code consumed': 'update "authorization_codes"',
  'family opened': 'insert into "token_families"',
  'token rotated': 'update "token_families" set "current_hash"',
  'retry answered': 'update "token_families" set "last_used_at"',
  'family revoked': 'update "token_families" set "revoked_at"',
  'session started': 'insert into "sessions"',
  'attempt counted': 'insert into "throttles"',
  'transaction begun': 'begin',
  'transaction committed': 'commit',
} as const

export type Boundary = keyof typeof boundaries

export type Kill =
  | { at: 'boundary'; boundary: Boundary; when: 'before' | 'after'; nth: number }
  | { at: 'moment'; after: number }

/** What the preload reads. */
export function killSetting(kill: Kill): Record<string, string> {
  if (kill.at === 'moment') return {}
  return { TESSERA_TEST_KILL: `${kill.when}:${kill.nth}:${boundaries[kill.boundary]}` }
}

export function randomKill(random: () => number): Kill {
  if (random() < 0.3) return { at: 'moment', after: Math.floor(random() * 400) }
  const names = Object.keys(boundaries) as Boundary[]
  const boundary = names[Math.floor(random() * names.length)] ?? 'code issued'
  // Sign-ins are few: their writes are killed at the first.
  const seldom =
    boundary === 'session started' || boundary === 'attempt counted' || boundary === 'family revoked'
  const nth = 1 + Math.floor(random() * (seldom ? 1 : 8))
  return { at: 'boundary', boundary, when: random() < 0.5 ? 'before' : 'after', nth }
}
