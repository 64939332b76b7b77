/** The times of a key's life, ms (decisions 1). */
export const keyTimes = {
  /** How long verifiers may cache the key set: its `Cache-Control: max-age`. */
  jwksCache: 10 * 60_000,
  /** The least time for which a new key is published before it signs: longer than a cache may hold the old set. */
  leastLead: 30 * 60_000,
  /** How long keys that are to sign now wait, until every process publishes them. */
  leadNow: 30_000,
  /** How often a process looks whether another one, or a command, has added keys. */
  look: 5000,
  /** How long it may take from the choice of that moment until a new key is there to be published. */
  makingKeys: 5 * 60_000,
  makingKeysNow: 15_000,
  /** How long after its publication a key still opens an id_token_hint. */
  hints: 30 * 24 * 3_600_000,
  /** What clocks may differ by. */
  clockSkew: 5 * 60_000,
  /** No client's access_token_lifetime may be longer: old keys stay published at least this long. */
  longestClientToken: 24 * 3_600_000,
} as const

/** The longest life of an access token, ms, where these are the settings. */
export const longestTokenLife = ({ lifetimes }: { lifetimes: { accessToken: number } }): number =>
  Math.max(lifetimes.accessToken, keyTimes.longestClientToken)
