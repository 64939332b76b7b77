import { choice, code, flag, text, uuid } from './kinds.ts'
import { defined, time } from './thing.ts'
import { mapping } from './upstream-json.ts'

/** A directory that provisions an organisation's people by SCIM. */
export const directory = defined({
  uuid: { kind: uuid, set: 'never' },
  organisation_uuid: { kind: uuid, set: 'at creation' },
  code: { kind: code, set: 'at creation', description: 'Never changes.' },
  name: { kind: text(200) },
  active: {
    kind: flag,
    initial: true,
    description: 'A disabled one takes no token, and its profiles do not count.',
  },
  subject: {
    kind: choice('externalId', 'userName', 'id'),
    nullable: true,
    description: 'The field that is also the subject at the organisation’s upstream; without it none is.',
  },
  mapping: {
    kind: mapping,
    initial: [],
    description: 'What groups give: `group` is the id or externalId of one, never its name.',
  },
  created_at: time,
  updated_at: time,
})
