import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

/** A subscription: who is sent which records of the audit. */
export interface WebhookRow {
  uuid: string
  url: string
  description: string
  /** A JSON list of kinds, or patterns of them. */
  kinds: string
  /** Records of this organisation alone; null: of the whole installation. */
  organisation_uuid: string | null
  active: Flag
  /** Only records after this one are sent. */
  since: number
  created_at: number
  updated_at: number
}

export interface WebhookSecretRow {
  id: string
  webhook_uuid: string
  /** Encrypted with the service's secret. */
  secret: string
  created_at: number
  expires_at: number | null
}

export const deliveryStates = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** One record for one subscription. What is sent is the record itself, which never changes. */
export interface WebhookDeliveryRow {
  /** The `webhook-id`. */
  id: string
  webhook_uuid: string
  /** The number of the record. */
  sequence: number
  kind: string
  state: DeliveryState
  /** How many attempts were begun. */
  attempts: number
  /** When it is due; while somebody sends it, when others may take it over. */
  next_at: number
  created_at: number
  /** When it was delivered or given up. */
  ended_at: Generated<number | null>
  /** When it is forgotten; null: not yet. */
  expires_at: Generated<number | null>
  /** What the last attempt that failed came to. */
  last_status: Generated<number | null>
  last_error: Generated<string | null>
}

/** One row: the last record that was looked at for every subscription. */
export interface WebhookOutboxRow {
  name: string
  position: number
}
