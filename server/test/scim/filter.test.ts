/** Which filters of lists are answered; `lists.test.ts` says what they find. */
import { describe, expect, it } from 'vitest'
import { listCondition } from '../../src/scim/filter.ts'
import { groups, type Kind, users } from '../../src/scim/schemas.ts'

const outcome = async (kind: Kind, text: string): Promise<string> =>
  await listCondition(kind, text).then(
    () => 'answered',
    (error: { scimType?: string }) => error.scimType ?? String(error),
  )

describe('a filter', () => {
  it.each([
    'userName eq "ada@acme.example"',
    'username Eq "ada@acme.example"',
    'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"',
    'externalId eq "x-1"',
    'id eq "1" and externalId eq "2"',
    'emails.value eq "a@acme.example"',
    'emails eq "a@acme.example"',
    'emails[type eq "work"].value eq "a@acme.example"',
    'emails[type eq "work" and value eq "a@acme.example"]',
    'active eq true',
    'active eq "True" and (userName eq "a" or userName eq "b")',
    'meta.lastModified gt "2026-01-01T00:00:00Z" and meta.lastModified le "2026-02-01T00:00:00Z"',
    'userName eq "say \\"hi\\""',
  ])('on people is answered: %s', async (text) => {
    expect(await outcome(users, text)).toBe('answered')
  })

  it.each([
    'displayName eq "Engineers"',
    'externalId eq "g-1"',
    'id eq "1" and members eq "2"',
    'members.value eq "2"',
    'members[value eq "2"]',
  ])('on groups is answered: %s', async (text) => {
    expect(await outcome(groups, text)).toBe('answered')
  })

  it.each([
    ['', users],
    ['userName', users],
    ['userName eq', users],
    ['userName eq "a" and', users],
    ['userName eq 1', users],
    ['userName eq "a" constructor userName eq "b"', users],
    ['userName eq "a" __proto__ userName eq "b"', users],
    ['__proto__ eq "a"', users],
    ['constructor eq "a"', users],
    ['userName co "a"', users],
    ['userName pr', users],
    ['not (userName eq "a")', users],
    ['title eq "a"', users],
    ['displayName eq "a"', users],
    ['userName eq "a"', groups],
    ['emails[type eq "work" and display eq "a"]', users],
    ['emails[type eq "work" or value eq "a"]', users],
    ['meta.lastModified gt "soon"', users],
    [`userName eq "${'a'.repeat(1100)}"`, users],
    [`${'('.repeat(21)}userName eq "a"${')'.repeat(21)}`, users],
    [`${'not '.repeat(200)}userName eq "a"`, users],
    [`userName eq "${'\n'.repeat(500)}`, users],
  ])('is refused: %#', async (text, kind) => {
    expect(await outcome(kind, text)).toBe('invalidFilter')
  })
})
