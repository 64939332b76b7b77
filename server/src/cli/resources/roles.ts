import { findProfile } from '../profiles.ts'
import type { Resource } from './resource.ts'

export const role: Resource = {
  noun: 'role',
  description: 'Roles: what a profile lets somebody do.',
  path: '/roles',
  parameter: 'code',
  named: 'code',
  columns: ['code', 'name', 'active', 'permissions'],
  examples: {
    one: 'auditor',
    list: '--search au',
    create: 'auditor --name Auditor --permission iam.audit.read --permission iam.users.read',
    change: 'auditor --add-permission iam.access.read --remove-permission iam.users.read',
  },
}

export const permission: Resource = {
  noun: 'permission',
  description: 'Permissions of services.',
  path: '/permissions',
  parameter: 'code',
  named: 'code',
  columns: ['code', 'description', 'built_in'],
  examples: {
    one: 'press.label.print',
    list: '--service press',
    create: "press.label.print --description 'Print a label'",
    change: "press.label.print --description 'Print one label'",
  },
}

export const profile: Resource = {
  noun: 'profile',
  description: 'Profiles: the roles that people hold, and where.',
  path: '/profiles',
  parameter: 'uuid',
  argument: 'role[@organisation[/unit]]|uuid',
  identify: findProfile,
  beside: (command) =>
    command.option('--user <e-mail|uuid>', 'whose it is, where it is not named by its uuid'),
  columns: ['user_uuid', 'role_code', 'organisation_uuid', 'organisation_unit_uuid', 'active', 'expires_at'],
  examples: {
    one: 'importer@acme/intake --user mara.lind@acme.example',
    list: '--user mara.lind@acme.example',
    create: '--user ines.moreau@acme.example --role importer --organisation acme --unit intake',
    change: 'importer@acme/intake --user mara.lind@acme.example --expires-at 2031-12-31T00:00:00Z',
  },
}
