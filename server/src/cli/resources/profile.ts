import type { Resource } from './resource.ts'

export const profile: Resource = {
  noun: 'profile',
  description: 'Profiles: the roles that people hold, and where.',
  path: '/profiles',
  parameter: 'uuid',
  argument: 'uuid',
  columns: [
    'uuid',
    'user_uuid',
    'role_code',
    'organisation_uuid',
    'organisation_unit_uuid',
    'active',
    'expires_at',
  ],
  called: ({ uuid }) => `the profile ${String(uuid)}`,
  examples: {
    one: '4a6d2c10-91f3-4e0b-8d57-0b1c2d3e0101',
    list: '--user mara.lind@acme.example',
    create: '--user ines.moreau@acme.example --role importer --organisation acme --unit intake',
    change: '4a6d2c10-91f3-4e0b-8d57-0b1c2d3e0101 --expires-at 2031-12-31T00:00:00Z',
  },
}
