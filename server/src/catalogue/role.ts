import { ownPolicy } from './json.ts'
import { code, flag, listOf, permissionOrWildcard, text } from './kinds.ts'
import { defined, managedBy } from './thing.ts'

export const role = defined({
  code: { kind: code, set: 'at creation', description: 'Stands in tokens as `role_code`; never changes.' },
  name: { kind: text(200) },
  permissions: {
    kind: listOf(permissionOrWildcard, { most: 1000, apart: true }),
    initial: [],
    tellsInitial: true,
    description: 'What it gives: codes of permissions, or `iam.*` for all of the administration API.',
  },
  active: { kind: flag, initial: true, description: 'Nobody can act under a disabled one.' },
  policy: ownPolicy,
  managed_by: managedBy,
})
