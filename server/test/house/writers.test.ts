/** One writer: rows of what is administered are written by `store/write` alone. */
import { describe, expect, it } from 'vitest'
import { keyColumns } from '../../src/store/write/rows.ts'
import { read, sourceFiles } from './support.ts'

const tables = Object.keys(keyColumns).join('|')
const creates = new RegExp(`(insertInto|deleteFrom)\\('(${tables})'\\)`)
const updates = new RegExp(`updateTable\\('(${tables})'\\)`)

const writer = 'server/src/store/write/'

/** The clients of the service's own pages are as the settings say, and in no list. */
const ownClients = ['server/src/administration/clients/built-in.ts']

/** Files that note in such a row what nobody administers, and no version moves by: what each notes. */
const notes: Record<string, string> = {
  'access/waiting.ts': 'profiles.beyond',
  'administration/webhooks/verbs.ts': 'webhooks.since',
  'store/addresses.ts': 'users.ranked_at',
  'store/credentials.ts': 'users.user_handle',
  'store/ending-all.ts': 'clients.token_generation',
  'store/ending.ts': 'users.ranked_at, users.second_factor, clients.token_generation',
  'store/enrolment.ts': 'users.second_factor, grace_began_at, enrolment_required',
  'store/factors.ts': 'users.second_factor',
  'store/given-totp.ts': 'users.second_factor, grace_began_at',
  'store/last-sign-in.ts': 'users.last_sign_in_on',
  'store/ownership.ts': 'users.limited_reach, unproved_since, makers, ranked_at; profiles.beyond',
  'store/removed-factors.ts': 'users.second_factor',
  'store/users.ts': 'users.last_profile_uuid, grace_began_at; the same password under a stronger hash',
  'upstream/returning.ts': 'profiles.counts_until',
  'upstream/kept-secrets.ts': 'upstreams.secret, private_key: the same under another key',
}

const files = sourceFiles('server/src').filter((file) => !file.startsWith(writer))
const that = (pattern: RegExp) => files.filter((file) => pattern.test(read(file)))

describe('rows of what is administered', () => {
  it('are made and removed by store/write alone: hand it the change', () => {
    expect(that(creates)).toEqual(ownClients)
  })

  it('are changed by store/write alone, but for what files note in them', () => {
    expect(that(updates).sort()).toEqual(
      Object.keys(notes)
        .map((file) => `server/src/${file}`)
        .sort(),
    )
  })

  it.each([
    ["await trx.insertInto('users').values(row).execute()", creates],
    ["trx.deleteFrom('role_permissions').where('role_code', '=', code)", creates],
    ["db\n    .updateTable('clients')\n    .set(columns)", updates],
  ])('are told: %s', (code, pattern) => {
    expect(pattern.test(code)).toBe(true)
  })
})
