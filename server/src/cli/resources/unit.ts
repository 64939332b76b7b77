import { findUnit } from '../references.ts'
import type { Resource } from './resource.ts'

export const unit: Resource = {
  noun: 'unit',
  description: 'Units of organisations: a tree.',
  path: '/units',
  parameter: 'uuid',
  argument: 'organisation/code|uuid',
  identify: findUnit,
  named: 'code',
  columns: ['code', 'name', 'active', 'uuid', 'parent_uuid'],
  called: ({ code }) => `the unit ${String(code)}`,
  examples: {
    one: 'harbour/quay',
    list: '--organisation harbour',
    create: 'quay --organisation harbour --name Quay',
    change: "harbour/quay --name 'The quay'",
  },
}
