import { findOrganisation } from '../references.ts'
import type { Resource } from './resource.ts'

export const organisation: Resource = {
  noun: 'organisation',
  description: 'Organisations, in which people have profiles.',
  path: '/organisations',
  parameter: 'uuid',
  argument: 'code|uuid',
  identify: findOrganisation,
  named: 'code',
  columns: ['code', 'name', 'active', 'uuid'],
  called: ({ code }) => `the organisation ${String(code)}`,
  examples: {
    one: 'harbour',
    list: '--search ha',
    create: "harbour --name 'Harbour Institute'",
    change: "harbour --name 'Institute of the Harbour'",
  },
}
