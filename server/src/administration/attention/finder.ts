import type { By } from '../by.ts'
import type { AdministrationService } from '../route.ts'

/** The most things found of each kind. */
export const mostFound = 20

export const findingKinds = [
  'client',
  'profile',
  'user',
  'webhook',
  'mail',
  'signing_key',
  'audit',
  'upstream',
  'organisation',
  'break_glass',
] as const

export interface Finding {
  target: {
    kind: (typeof findingKinds)[number]
    id: string
    name: string
    user_uuid?: string
  }
  since: number | null
}

/** Finds up to one more than are shown, within the reach. */
export type Finder = (service: AdministrationService, by: By) => Promise<Finding[]>

export const day = 24 * 3_600_000
