import type { Kysely } from 'kysely'
import { rowOf } from '../../database/rows.ts'
import type { Schema } from '../../database/schema.ts'
import { type Invitation, placeOf, profilesOf } from './inviting.ts'

/** A profile that an invitation offers, as people know it. */
export interface Offer {
  role_name: string
  organisation_name: string | null
  unit_name: string | null
}

/** The offers in the order in which they are accepted. What was removed meanwhile is named by its code. */
export async function offersOf(db: Kysely<Schema>, invitation: Invitation): Promise<Offer[]> {
  const offers: Offer[] = []
  for (const one of profilesOf(invitation)) {
    const { organisation_uuid, unit_uuid } = placeOf(one)
    const role = await rowOf(db, 'roles', { code: one.role_code })
    const organisation = organisation_uuid && (await rowOf(db, 'organisations', { uuid: organisation_uuid }))
    const unit = unit_uuid && (await rowOf(db, 'units', { uuid: unit_uuid }))
    offers.push({
      role_name: role?.name ?? one.role_code,
      organisation_name: organisation ? organisation.name : null,
      unit_name: unit ? unit.name : null,
    })
  }
  return offers
}
