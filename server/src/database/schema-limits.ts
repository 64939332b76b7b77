import type { AddressField } from '../protocol/redirect-uri.ts'

/** The tables of what is refused or counted, so that guesses and floods end. */
export interface ThrottleRow {
  key: string
  failures: number
  /** No attempt counts before this. */
  next_at: number
  expires_at: number
}

/** What a client asked for last and has not registered. */
export interface RefusedAddressRow {
  id: string
  client_id: string
  /** The owner of the client then: another one is not told. Null: the installation. */
  organisation_uuid: string | null
  field: AddressField
  /** Null: the request had none. */
  address: string | null
  at: number
  expires_at: number
}

/** What was counted of one key in one window of time. */
export interface LimitRow {
  key: string
  count: number
  expires_at: number
}
