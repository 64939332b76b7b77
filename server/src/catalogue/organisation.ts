import { ownBranding, organisationPolicy } from './json.ts'
import { code, flag, text, uuid } from './kinds.ts'
import { defined, managedBy } from './thing.ts'

export const organisation = defined({
  uuid: { kind: uuid, set: 'never' },
  code: {
    kind: code,
    set: 'at creation',
    description: 'What it is known by in a declared file; never changes.',
  },
  name: { kind: text(200) },
  active: {
    kind: flag,
    initial: true,
    description: 'Nobody can act under a disabled one, and its clients are inactive.',
  },
  policy: organisationPolicy,
  branding: ownBranding,
  managed_by: managedBy,
})
