import { ownBranding, organisationPolicy } from './json.ts'
import { code, flag, listOf, text, uuid } from './kinds.ts'
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
  accepts: {
    kind: listOf(uuid, { most: 100, sorted: true }),
    initial: [],
    description:
      'Organisations whose upstreams open this one too: who signed in there may act here under the profiles that they have here.',
  },
  break_glass: {
    kind: listOf(uuid, { most: 3, sorted: true }),
    initial: [],
    description:
      'One to three people who get in with their own credential when the upstream does not work. They belong to no upstream and no directory of the organisation. For somebody who administers everything, and nobody names themself.',
  },
  policy: organisationPolicy,
  branding: ownBranding,
  managed_by: managedBy,
})
