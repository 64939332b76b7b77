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
    one: 'acme/intake',
    list: '--organisation acme',
    create: 'quay --organisation acme --parent intake --name Quay',
    change: 'acme/quay --unset parent',
  },
}
