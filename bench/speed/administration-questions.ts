/** What administrators ask of an installation. */
import { organisationCode, redirectUriOf, unit } from './administration-rows.ts'
import type { administrators } from './administration-seed.ts'
import { organisation as acme } from './growth-rows.ts'

const permission = 'submissions-tool.vista-import.create'

export interface Question {
  what: string
  who: keyof typeof administrators
  path(one: { number: number; organisation: number; client: number; user_uuid: string }): string
}

/** The console's filters, each with what it finds few of and many of. */
export const filters: readonly [what: string, path: Question['path']][] = [
  ['users of a role that few have', () => '/users?limit=10&role_code=reader'],
  ['users of a role that many have', () => '/users?limit=10&role_code=bookkeeper'],
  ['users of a role that nearly all have', () => '/users?limit=10&role_code=importer'],
  ['users of a role that many have by name', () => '/users?limit=10&role_code=bookkeeper&q=person'],
  ['users that are disabled by name', () => '/users?limit=10&active=false&q=person'],
  ['users that are disabled by a later word', () => '/users?limit=10&active=false&q=7'],
  ['users of a role by name', () => '/users?limit=10&role_code=reader&q=person'],
  [
    'users of a role in an organisation',
    () => `/users?limit=10&role_code=bookkeeper&organisation_uuid=${acme}`,
  ],
  ['users at a unit', () => `/users?limit=10&organisation_unit_uuid=${unit}`],
  ['users at a unit by name', () => `/users?limit=10&organisation_unit_uuid=${unit}&q=person`],
  ['users of a role at a unit', () => `/users?limit=10&role_code=importer&organisation_unit_uuid=${unit}`],
  ['users that a file manages', () => '/users?limit=10&managed_by=administration.yaml'],
  ['clients of a service', () => '/clients?limit=10&service=ledger'],
  ['clients of a service by name', () => '/clients?limit=10&service=ledger&q=client'],
  ['clients of no service there is', () => '/clients?limit=10&service=no-such-service'],
  [
    'clients by a redirect URI',
    ({ client }) => `/clients?limit=10&redirect_uri=${encodeURIComponent(redirectUriOf(client))}`,
  ],
  ['clients that a file manages', () => '/clients?limit=10&managed_by=administration.yaml'],
  ['profiles that end', () => '/profiles?limit=10&expires_before=2040-01-01T00:00:00Z'],
  ['profiles that are disabled', () => '/profiles?limit=10&active=false'],
  [
    'who holds a permission at a unit, with the chain',
    () => `/access?limit=10&permission=${permission}&organisation_unit_uuid=${unit}&include=chain`,
  ],
]

/** Every list, search, filter and question of access; ten things a page, which the small installation has as well. */
export const questions: readonly Question[] = [
  ...filters.map(([what, path]) => ({ what, who: 'everything' as const, path })),
  {
    what: 'users of a role, by a delegate',
    who: 'organisation',
    path: () => '/users?limit=10&role_code=bookkeeper',
  },
  { what: 'users', who: 'everything', path: () => '/users?limit=10' },
  { what: 'users by address', who: 'everything', path: ({ number }) => `/users?limit=10&q=person-${number}` },
  { what: 'users by name', who: 'everything', path: ({ number }) => `/users?limit=10&q=Person%20${number}` },
  {
    what: 'users of an organisation',
    who: 'everything',
    path: () => `/users?limit=10&organisation_uuid=${acme}`,
  },
  { what: 'a user', who: 'everything', path: ({ user_uuid }) => `/users/${user_uuid}` },
  { what: 'organisations', who: 'everything', path: () => '/organisations?limit=10' },
  {
    what: 'organisations by code',
    who: 'everything',
    path: ({ organisation }) => `/organisations?limit=10&q=${organisationCode(organisation)}`,
  },
  { what: 'users by a later word', who: 'everything', path: ({ number }) => `/users?limit=10&q=${number}` },
  { what: 'clients', who: 'everything', path: () => '/clients?limit=10' },
  {
    what: 'clients of an organisation',
    who: 'everything',
    path: () => `/clients?limit=10&organisation_uuid=${acme}`,
  },
  { what: 'clients by client_id', who: 'everything', path: () => '/clients?limit=10&q=bench-a' },
  {
    what: 'clients by a later word',
    who: 'everything',
    path: ({ client }) => `/clients?limit=10&q=${client}`,
  },
  { what: 'profiles of a role', who: 'everything', path: () => '/profiles?limit=10&role_code=importer' },
  {
    what: 'profiles of an organisation',
    who: 'everything',
    path: () => `/profiles?limit=10&organisation_uuid=${acme}`,
  },
  { what: 'sessions', who: 'everything', path: () => '/sessions?limit=10' },
  {
    what: 'sessions of a user',
    who: 'everything',
    path: ({ user_uuid }) => `/sessions?limit=10&user_uuid=${user_uuid}`,
  },
  {
    what: 'who holds a permission',
    who: 'everything',
    path: () => `/access?limit=10&permission=${permission}`,
  },
  {
    what: 'who holds it in an organisation',
    who: 'everything',
    path: () => `/access?limit=10&permission=${permission}&organisation=acme`,
  },
  { what: 'what a user may do', who: 'everything', path: ({ user_uuid }) => `/users/${user_uuid}/access` },
  { what: 'users, by a delegate', who: 'organisation', path: () => '/users?limit=10' },
  {
    what: 'users by address, by a delegate',
    who: 'organisation',
    path: ({ number }) => `/users?limit=10&q=person-${number - (number % 10)}`,
  },
  { what: 'profiles, by a delegate', who: 'organisation', path: () => '/profiles?limit=10' },
  {
    what: 'who holds a permission, by a delegate',
    who: 'organisation',
    path: () => `/access?limit=10&permission=${permission}`,
  },
]
