import { findOrganisation, findUnit } from '../references.ts'
import type { Resource } from './resource.ts'

export const organisation: Resource = {
  noun: 'organisation',
  description: 'Organisations, in which people have profiles.',
  path: '/organisations',
  parameter: 'uuid',
  argument: 'code|uuid',
  identify: findOrganisation,
  named: 'code',
  columns: ['code', 'name', 'active'],
  examples: {
    one: 'harbour',
    list: '--search ha',
    create: "harbour --name 'Harbour Institute'",
    change: "harbour --name 'Institute of the Harbour'",
  },
}

export const unit: Resource = {
  noun: 'unit',
  description: 'Units of organisations: a tree.',
  path: '/units',
  parameter: 'uuid',
  argument: 'organisation/code|uuid',
  identify: async (connection, text) => await findUnit(connection, text),
  named: 'code',
  columns: ['organisation_uuid', 'code', 'name', 'active', 'parent_uuid'],
  examples: {
    one: 'harbour/quay',
    list: '--organisation harbour',
    create: 'quay --organisation harbour --name Quay',
    change: "harbour/quay --name 'The quay'",
  },
}
