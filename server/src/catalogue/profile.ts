import { code, flag, instant, uuid } from './kinds.ts'
import { defined } from './thing.ts'

/** Names as the claims have them. */
export const profile = defined({
  uuid: { kind: uuid, set: 'never' },
  user_uuid: { kind: uuid, set: 'at creation' },
  role_code: { kind: code },
  organisation_uuid: {
    kind: uuid,
    set: 'at creation',
    nullable: true,
    description: 'Where it holds. Without it, over the whole installation.',
  },
  organisation_unit_uuid: { kind: uuid, nullable: true, column: 'unit_uuid' },
  active: { kind: flag, initial: true },
  expires_at: {
    kind: instant,
    nullable: true,
    description: 'It counts until then. Without it, until it is taken away.',
  },
})
