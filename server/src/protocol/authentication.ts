/** How a person proved who they are, and how strong that is: `acr`, `amr` and `auth_time` are computed here alone. */

/** What somebody can prove themselves by. Mail is none (SP 800-63B-4 §3.1.3.1). */
export type Method =
  | 'password'
  | 'totp'
  | 'recovery_code'
  | 'security_key'
  | 'passkey'
  | 'trusted_device'
  /** The organisation's own provider; `credential` is the upstream. */
  | 'upstream'

/** Something that a person proved. */
export interface Proved {
  method: Method
  /** The id of the factor. */
  credential?: string
  /** Whether a passkey or security key verified its user (WebAuthn Level 3 §6.1). */
  verified?: boolean
  /** When; of a trusted device: when the second factor was proved there. Epoch milliseconds. */
  at: number
  /** The organisation whose upstream's proof it was set up under: it opens no more than that. */
  reach?: string | undefined
  /** The values of `acr`, `amr` or AuthnContext that an upstream sent; its `assurance` makes a level of them. */
  contexts?: readonly string[]
  /** The values of RFC 8176 that an upstream sent. */
  amr?: readonly string[]
  /** The time at which an upstream's answer came, perhaps long after the proof there. Epoch milliseconds. */
  came?: number
  /** The upstream did not say when: `at` is when its answer came. */
  untimed?: true
  /** The level, of an upstream whose `assurance` counts here. Never kept: it is asked of the upstream as it is now. */
  level?: Level
}

/** The values of `acr`, from the weakest on. `phr` is phishing-resistant (OpenID EAP ACR Values §2). */
export const levels = ['1', '2', 'phr'] as const
export type Level = (typeof levels)[number]

export const isLevel = (text: string): text is Level => (levels as readonly string[]).includes(text)

const rank = (level: string) => levels.findIndex((one) => one === level)

/** Whether what was reached is the level that is wanted, or higher. An unknown one meets nothing. */
export const meets = (reached: string, wanted: Level): boolean => rank(reached) >= rank(wanted)

export const higher = (one: Level, other: Level): Level => (meets(one, other) ? one : other)

/** How and when, as tokens say it (OpenID Connect Core 1.0 §2). */
export interface Authentication {
  /** Epoch milliseconds. */
  auth_time: number
  acr: string
  /** A JSON list. */
  amr: string
  /** JSON of all that was proved, read by `provedOf` where it is asked for. */
  proofs: string
}

/** How long a proof is fresh enough for what a stolen session must not do (decisions 14), ms. */
export const freshFor = 10 * 60_000

/** The proofs that count together, each with the level that they reach and when the oldest of them was made. */
function reachedBy(proofs: readonly Proved[]): { level: Level; at: number }[] {
  const first = proofs.filter(isFirst).map((one) => (one.untimed === true ? { ...one, at: 0 } : one))
  const passkeys = proofs.filter(({ method }) => method === 'passkey')
  const with_ = (seconds: readonly Proved[], level: Level) =>
    first.flatMap((password) => seconds.map(({ at }) => ({ level, at: Math.min(password.at, at) })))
  return [
    ...first.map(({ at, level = '1' }) => ({ level, at })),
    ...with_(of(proofs, 'totp', 'recovery_code'), '2'),
    ...with_(of(proofs, 'security_key', 'passkey'), 'phr'),
    ...passkeys.flatMap(({ verified, at }) => (verified === true ? [{ level: 'phr' as const, at }] : [])),
  ]
}

const isFirst = ({ method }: Proved): boolean => method === 'password' || method === 'upstream'

/** Whether these prove who somebody is, and not only a second factor. */
export const provesSomebody = (proofs: readonly Proved[]): boolean => reachedBy(proofs).length > 0

const of = (proofs: readonly Proved[], ...methods: readonly Method[]) =>
  proofs.filter(({ method }) => methods.includes(method))

/** The highest level that these reach. */
export const acrOf = (proofs: readonly Proved[]): Level =>
  reachedBy(proofs).reduce<Level>((highest, { level }) => higher(level, highest), '1')

/** RFC 8176. `pop`, because whether a key is of hardware or software can't be known. A trusted device is none. */
export function amrOf(proofs: readonly Proved[]): string[] {
  return [
    ...(of(proofs, 'password').length > 0 ? ['pwd'] : []),
    ...(of(proofs, 'totp', 'recovery_code').length > 0 ? ['otp'] : []),
    ...(of(proofs, 'security_key', 'passkey').length > 0 ? ['pop'] : []),
    ...(acrOf(proofs.map((one) => ({ ...one, level: '1' }))) === '1' ? [] : ['mfa']),
    // What an upstream sent, where that is trusted.
    ...proofs.flatMap(({ level, amr = [] }) => (level === undefined ? [] : amr)),
  ].filter((one, index, all) => all.indexOf(one) === index)
}

/**
 * When the level was proved: the oldest proof that it rests on, of the freshest proofs that reach it, so that it never
 * claims to be fresher than it is.
 */
export function authTimeOf(proofs: readonly Proved[], level: Level = acrOf(proofs)): number {
  return Math.max(
    0,
    ...reachedBy(proofs)
      .filter((one) => meets(one.level, level))
      .map(({ at }) => at),
  )
}

/**
 * What tokens say of these proofs, at the level that they reach or at a lower one that was asked for. A lower one makes
 * them no fresher: a password alone would be a recent sign-in of somebody who has a second factor.
 */
export const authenticationOf = (
  proofs: readonly Proved[],
  level: Level = acrOf(proofs),
): Authentication => ({
  auth_time: authTimeOf(proofs),
  acr: level,
  amr: JSON.stringify(amrOf(proofs)),
  proofs: JSON.stringify(proofs),
})

/** One more proof; the newest of a method replaces the one before. */
export const withProof = (proofs: readonly Proved[], proof: Proved): Proved[] => [
  ...proofs.filter(
    ({ method, credential }) =>
      method !== proof.method || (method === 'upstream' && credential !== proof.credential),
  ),
  proof,
]

/** All that was proved. What an earlier version wrote has no proofs, and is taken at its word. */
export function provedOf(said: Authentication): readonly Proved[] {
  const kept = JSON.parse(said.proofs) as Proved[]
  if (kept.length > 0) return kept
  const at = said.auth_time
  const amr = JSON.parse(said.amr) as string[]
  const password = amr.includes('pwd')
  return [
    ...(password ? [{ method: 'password' as const, at }] : []),
    ...(amr.includes('otp') ? [{ method: 'totp' as const, at }] : []),
    ...(amr.includes('pop')
      ? [{ method: password ? ('security_key' as const) : ('passkey' as const), verified: !password, at }]
      : []),
  ]
}
