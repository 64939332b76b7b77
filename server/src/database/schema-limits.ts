/** The tables of what is counted, so that guesses and floods end. */
export interface ThrottleRow {
  key: string
  failures: number
  /** No attempt counts before this. */
  next_at: number
  expires_at: number
}

/** What was counted of one key in one window of time. */
export interface LimitRow {
  key: string
  count: number
  expires_at: number
}
