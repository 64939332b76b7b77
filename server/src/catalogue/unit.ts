import { code, flag, text, uuid } from './kinds.ts'
import { defined } from './thing.ts'

export const unit = defined({
  uuid: { kind: uuid, set: 'never' },
  organisation_uuid: { kind: uuid, set: 'at creation' },
  parent_uuid: {
    kind: uuid,
    nullable: true,
    description: 'The unit above it, of the same organisation; null at the top.',
  },
  code: {
    kind: code,
    set: 'at creation',
    description: 'What it is known by in a declared file, within its organisation; never changes.',
  },
  name: { kind: text(200) },
  active: {
    kind: flag,
    initial: true,
    description: 'Nobody can act at a disabled one; units below it are not touched.',
  },
})
