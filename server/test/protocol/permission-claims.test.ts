import { describe, expect, it } from 'vitest'
import { contextClaims, personClaims, type ClaimPerson } from '../../dist/protocol/claims.js'
import { errorCatalogue, type ErrorCode, ProtocolError } from '../../dist/protocol/errors.js'
import { expandPermissions, iamPermissions, isPermission, serviceOf } from '../../dist/protocol/permission.js'

describe('a permission', () => {
  it.each(['submissions-tool.vista-import.create', 'a.b.c', '0.1.2', 'ledger.entry.read'])(
    'may be %s',
    (text) => {
      expect(isPermission(text)).toBe(true)
      expect(serviceOf(text)).toBe(text.split('.')[0])
    },
  )

  it.each([
    '',
    'a',
    'a.b',
    'a.b.c.d',
    '.b.c',
    'a..c',
    'a.b.',
    'A.b.c',
    'a.b.*',
    '*',
    'a.b.c ',
    'a.b.c\n',
    '-a.b.c',
    'ä.b.c',
    `a.b.${'c'.repeat(200)}`,
  ])('may not be “%s”', (text) => expect(isPermission(text)).toBe(false))

  it('has one wildcard, of the built-in service, which is written out once and sorted', () => {
    expect(expandPermissions(['iam.*'])).toEqual([...iamPermissions].sort())
    expect(expandPermissions(['z.b.c', 'iam.*', 'a.b.c', 'a.b.c', 'iam.users.read'])).toEqual(
      ['a.b.c', ...iamPermissions, 'z.b.c'].sort(),
    )
    expect(expandPermissions(['ledger.*', '*'])).toEqual(['*', 'ledger.*'])
    expect(iamPermissions.every(isPermission)).toBe(true)
  })
})

describe('claims', () => {
  const person: ClaimPerson = {
    uuid: 'u',
    email: 'a@b.example',
    email_verified: 0,
    name: 'N',
    given_name: null,
    family_name: 'F',
    preferred_username: null,
    picture: null,
    locale: 'en',
    zoneinfo: null,
    former_sub: null,
    updated_at: 1_700_000_000_999,
  }

  it('of a person are those of the granted scopes, and exist or are left out', () => {
    expect(personClaims(person, ['openid', 'service.api'])).toEqual({})
    expect(personClaims(person, ['email'])).toEqual({ email: 'a@b.example', email_verified: false })
    const profile = { name: 'N', family_name: 'F', locale: 'en', updated_at: 1_700_000_000 }
    expect(personClaims(person, ['profile'])).toEqual(profile)
    const both = personClaims(person, ['profile', 'email'])
    expect(both).toMatchObject({ ...profile, preferred_username: 'a@b.example' })
    const named = { ...person, preferred_username: 'ab' }
    expect(personClaims(named, ['profile', 'email'])).toMatchObject({ preferred_username: 'ab' })
    expect(personClaims(named, ['email']).preferred_username).toBeUndefined()
  })

  it('of a context leave out organisation and unit where there are none', () => {
    const bare = { held_uuid: 'p', role_code: 'r', organisation_uuid: null, unit_uuid: null }
    expect(contextClaims(bare)).toEqual({ profile_uuid: 'p', role_code: 'r' })
    expect(contextClaims({ ...bare, organisation_uuid: 'o', unit_uuid: 'n' })).toEqual({
      profile_uuid: 'p',
      role_code: 'r',
      organisation_uuid: 'o',
      organisation_unit_uuid: 'n',
    })
  })
})

describe('errors', () => {
  it.each([
    ['invalid_request', 400],
    ['invalid_client', 401],
    ['invalid_redirect_uri', 400],
    ['invalid_scope', 400],
    ['invalid_grant', 400],
    ['unauthorized_client', 400],
    ['unsupported_grant_type', 400],
    ['invalid_token', 401],
    ['insufficient_scope', 403],
    ['too_many_requests', 429],
    ['request_too_large', 413],
    ['method_not_allowed', 405],
    ['temporarily_unavailable', 503],
  ] as const)('%s is answered %i', (code, status) => {
    expect(new ProtocolError(code, 'x').status).toBe(status)
  })

  it('have codes that may stand in a header and a query', () => {
    for (const code of Object.keys(errorCatalogue) as ErrorCode[]) expect(code).toMatch(/^[a-z_]+$/)
  })

  it('keep the detail for the log out of what is public', () => {
    const error = new ProtocolError('server_error', 'public', {
      detail: 'private',
      cause: new Error('private'),
    })
    expect(JSON.stringify({ code: error.code, description: error.description })).not.toContain('private')
    expect(error.message).not.toContain('private')
  })
})
