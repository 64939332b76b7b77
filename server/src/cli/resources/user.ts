import { findUser } from '../references.ts'
import type { Resource } from './resource.ts'
import { accessPart, newUser, passwordPart } from './user-parts.ts'

export const user: Resource = {
  noun: 'user',
  description: 'The people who sign in.',
  path: '/users',
  parameter: 'uuid',
  argument: 'e-mail|uuid',
  identify: findUser,
  named: 'email',
  without: ['password', 'profiles'],
  columns: ['email', 'name', 'active', 'has_password', 'uuid'],
  called: ({ email }) => `the user ${String(email)}`,
  creation: newUser,
  more: (context) => [passwordPart(user, context), accessPart(user, context)],
  examples: {
    one: 'ines.moreau@acme.example',
    list: '--organisation acme --search mara',
    create: "ines.moreau@acme.example --name 'Ines Moreau' --locale sv --profile reader@acme",
    change: "ines.moreau@acme.example --name 'Inês Moreau' --unset locale",
  },
}
