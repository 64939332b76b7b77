/** What the definitions of things promise: bodies, rows and answers say the same. */
import { describe, expect, it } from 'vitest'
import { client, initialClient } from '../../dist/catalogue/client.js'
import { changedColumns, newColumns, shownOf } from '../../dist/catalogue/columns.js'
import { profile } from '../../dist/catalogue/profile.js'
import { newBody, newRow, patchBody, shownSchema } from '../../dist/catalogue/schemas.js'
import { user } from '../../dist/catalogue/user.js'

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'
const person = { email: 'ines.moreau@acme.example', name: 'Ines Moreau' }
const stored = {
  password_hash: 'secret',
  former_sub: null,
  password_temporary: 0 as const,
  enrolment_required: 0 as const,
  deletion_at: null,
  last_sign_in_on: '',
  unproved_since: null,
  managed_by: null,
  created_at: 0,
  updated_at: 1,
}

describe('a new user', () => {
  it('has what is initial where nothing is said', () => {
    expect(newColumns(user, { ...person, locale: 'sv' })).toMatchObject({
      ...person,
      locale: 'sv',
      picture: null,
      email_verified: 0,
      active: 1,
    })
  })

  it('is shown without the password, as its schema says', () => {
    const shown = shownOf(user, { uuid, ...newColumns(user, person), ...stored })
    expect(shown).toMatchObject({ active: true, has_password: true, updated_at: '1970-01-01T00:00:00.001Z' })
    expect(JSON.stringify(shown)).not.toContain('secret')
    expect(shownSchema(user).parse(shown)).toEqual(shown)
  })

  it('is not made of what can not be set, nor without what is needed', () => {
    const fields = newBody(user).safeParse({ email: person.email, uuid, given_name: null }).error?.issues
    expect(fields?.map(({ code, path }) => [code, ...path])).toEqual([
      ['invalid_type', 'name'],
      ['unrecognized_keys'],
    ])
    expect(newRow(user).safeParse({ ...person, given_name: null }).success).toBe(false)
  })
})

describe('a change', () => {
  it('sets the columns of what is said and no other', () => {
    const body = patchBody(profile).parse({ organisation_unit_uuid: uuid.toUpperCase(), expires_at: null })
    expect(changedColumns(profile, body)).toEqual({ unit_uuid: uuid, expires_at: null })
    expect(patchBody(profile).safeParse({ user_uuid: uuid }).success).toBe(false)
  })
})

describe('lists', () => {
  it('are JSON text in a column, in one order where it means nothing', () => {
    const said = { services: ['b', 'a'], redirect_uris: ['https://b.example/', 'https://a.example/'] }
    const columns = changedColumns(client, said)
    expect(columns).toEqual({
      services: '["a","b"]',
      redirect_uris: '["https://b.example/","https://a.example/"]',
    })
  })

  it('are those of its type for a new client', () => {
    const machine = initialClient({ type: 'machine' })
    expect(machine).toEqual({ scope: 'service.api', grant_types: ['client_credentials'], permissions: [] })
    const web = initialClient({
      type: 'public',
      redirect_uris: ['https://a.example/x', 'https://a.example/y'],
    })
    expect(web).toEqual({ allowed_origins: ['https://a.example'] })
  })
})
