import { randomUUID } from 'node:crypto'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { profile } from '../../catalogue/profile.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { code, flag, instant, millisecondsOf, pageOf, uuid, uuids } from '../fields.ts'
import { changeRoute, createRoute, listed, listRoute, readRoute, removeRoute } from '../resource-routes.ts'
import type { Route } from '../route.ts'
import { createProfile, deleteProfile, listProfiles, profiles, updateProfile } from './verbs.ts'

/** A profile that is given together with its user. */
export const newProfile = newBody(profile).omit({ user_uuid: true })

const shown = shownSchema(profile)

export const profileSchemas = { Profile: shown, ProfilePage: pageOf(shown) }

export const profileRoutes: Route[] = [
  listRoute({
    ...listed(profiles),
    file: shown,
    summary: 'List profiles',
    example: '--user mara.lind@acme.example',
    columns: [
      'user_uuid',
      'role_code',
      'organisation_uuid',
      'organisation_unit_uuid',
      'active',
      'expires_at',
    ],
    query: {
      user_uuid: uuids.optional().describe('Of these users: at most 100, with commas between.'),
      role_code: code.optional(),
      organisation_uuid: uuid.optional(),
      organisation_unit_uuid: uuid.optional().describe('At this very unit.'),
      active: flag.optional(),
      expires_before: instant
        .optional()
        .describe('Whose end is before this, also if it is over; in the order of their ends.'),
    },
    rows: ({ service, by, query: { expires_before, ...query }, after, limit }) => {
      const { reach } = by.authority
      if (expires_before === undefined) return listProfiles(service.store, reach, query, after(1), limit)
      const filter = { ...query, expires_before: millisecondsOf(expires_before) }
      return listProfiles(service.store, reach, filter, after(2), limit)
    },
  }),
  createRoute(profiles, {
    summary: 'Give somebody a profile',
    example: '--user ines.moreau@acme.example --role importer --organisation acme --unit intake',
    description: 'Nobody gives a role with a permission that they do not hold themselves.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newProfile.extend({ user_uuid: uuid }),
    make: ({ service, by, body }, repeatable) =>
      createProfile(service.store, by, { uuid: randomUUID(), ...newColumns(profile, body) }, repeatable),
  }),
  readRoute(profiles, {
    summary: 'Read a profile',
    example: 'importer@acme/intake --user mara.lind@acme.example',
  }),
  changeRoute(profiles, {
    summary: 'Change or disable a profile',
    example: 'importer@acme/intake --user mara.lind@acme.example --expires-at 2031-12-31T00:00:00Z',
    description:
      'The tokens that were issued under it end at once when it is disabled or has run out. To move it to another unit needs `iam.profiles.create` too: the administrators of that unit come to reach it.',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: patchBody(profile),
    change: ({ service, by, body }, one) =>
      updateProfile(service.store, by, one, changedColumns(profile, body)),
  }),
  removeRoute(profiles, {
    summary: 'Take a profile away',
    description: 'The tokens that were issued under it end at once.',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteProfile(service.store, by, one),
  }),
]
