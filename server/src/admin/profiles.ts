import { z } from 'zod'
import type { Row } from '../store/admin/change.ts'
import type { ProfileRow } from '../store/schema.ts'
import { code, instant, isoTime, millisecondsOf, uuid } from './fields.ts'

/** A profile as the API shows it: names as the claims have them. */
export const profile = z.object({
  uuid,
  user_uuid: uuid,
  role_code: code,
  organisation_uuid: uuid.nullable().describe('null: it holds over the whole installation.'),
  organisation_unit_uuid: uuid.nullable(),
  active: z.boolean(),
  expires_at: z.iso.datetime().nullable(),
})

/** A profile that is given together with its user. */
export const newProfile = z.strictObject({
  role_code: code,
  organisation_uuid: uuid.nullable().optional(),
  organisation_unit_uuid: uuid.nullable().optional(),
  active: z.boolean().optional(),
  expires_at: instant.nullable().optional().describe('It counts until then.'),
})

export function shownProfile(row: Row<'profiles'>): z.output<typeof profile> {
  return {
    uuid: row.uuid,
    user_uuid: row.user_uuid,
    role_code: row.role_code,
    organisation_uuid: row.organisation_uuid,
    organisation_unit_uuid: row.unit_uuid,
    active: row.active === 1,
    expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
  }
}

export function profileColumns(body: z.output<typeof newProfile>): Omit<ProfileRow, 'uuid' | 'user_uuid'> {
  return {
    role_code: body.role_code,
    organisation_uuid: body.organisation_uuid ?? null,
    unit_uuid: body.organisation_unit_uuid ?? null,
    active: body.active === false ? 0 : 1,
    expires_at: typeof body.expires_at === 'string' ? millisecondsOf(body.expires_at) : null,
  }
}
