import { describe, expect, it } from 'vitest'
import { createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { createTestHolder } from '../src/testing.ts'
import { algs, origin, type Sent, startBound, url } from './holder.ts'
import { create, read } from './issuer.ts'

/** What the guard says of DPoP, and what it is told of it. */

const { clock, issuer, guard, guardWith, token, prove, requestOf, told } = await startBound()

describe('the challenge', () => {
  const challengeOf = async (by: Guard, sent: Sent) => {
    const decision = await by.check(requestOf(sent), create)
    return decision.allowed ? 'allowed' : decision.headers['www-authenticate']
  }

  it('names both schemes where nothing was sent, and of a Bearer token', async () => {
    expect(await guard.check(undefined, create)).toMatchObject({
      reason: 'no_credential',
      headers: { 'www-authenticate': `Bearer, ${algs}` },
    })
    expect(await challengeOf(guard, { authorization: 'Bearer junk' })).toBe(
      `Bearer error="invalid_token", error_description="The access token is not a signed JWT", ${algs}`,
    )
  })

  it('says of a proof what is wrong with it', async () => {
    expect(await challengeOf(guard, {})).toBe(
      `${algs}, error="invalid_dpop_proof", error_description="The access token is bound to a key, and the DPoP header that proves it is missing", Bearer`,
    )
    expect(await challengeOf(guard, { authorization: 'DPoP junk' })).toMatch(
      /^DPoP algs="ES256 PS256 EdDSA", error="invalid_token", .*, Bearer$/,
    )
  })

  it('of a 403 is that of the scheme', async () => {
    const proof = await prove()
    const forbidden = await guard.check(requestOf({ proof }), read)
    expect(forbidden).toMatchObject({ status: 403, body: { permission: read } })
    expect(!forbidden.allowed && forbidden.headers['www-authenticate']).toBe(
      `${algs}, error="insufficient_scope", error_description="The access token lacks the permission ${read}"`,
    )
    const plain = await guard.check(`Bearer ${await issuer.token({})}`, create)
    expect(!plain.allowed && plain.headers['www-authenticate']).toMatch(
      /^Bearer error="insufficient_scope"[^D]*$/,
    )
  })

  it('asks for a step-up in the same way', async () => {
    const decision = await guard.check(requestOf({ proof: await prove() }), { permission: create, acr: '2' })
    expect(!decision.allowed && decision.headers['www-authenticate']).toMatch(
      /^DPoP algs="[^"]+", error="insufficient_user_authentication", .*, acr_values="2", Bearer$/,
    )
  })

  it('and the metadata name it beside where tokens come from', async () => {
    const published = guardWith({ resourceMetadata: true })
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/api", scope="openid service.api"`
    const decision = await published.check(undefined, create)
    expect(!decision.allowed && decision.headers['www-authenticate']).toBe(`Bearer ${metadata}, ${algs}`)
    expect(await challengeOf(published, {})).toMatch(new RegExp(`^${algs}, error=.*, ${metadata}, Bearer$`))
    const told = published.resourceMetadata?.body
    expect(told?.dpop_signing_alg_values_supported).toEqual(['ES256', 'PS256', 'EdDSA'])
    expect(told).not.toHaveProperty('dpop_bound_access_tokens_required')
    const without = createGuard({ ...issuer.guardOptions, resourceMetadata: true })
    expect(without.resourceMetadata?.body).not.toHaveProperty('dpop_signing_alg_values_supported')
  })
})

describe('without the option', () => {
  it('nothing is as if there were one', async () => {
    const usual = createGuard(issuer.guardOptions)
    const proof = await prove()
    expect(await usual.check(requestOf({ proof }), create)).toMatchObject({
      reason: 'no_credential',
      headers: { 'www-authenticate': 'Bearer' },
      body: {
        error: 'unauthorized',
        error_description:
          'This service takes no tokens that are bound to a key (DPoP): its guard has no option dpop',
      },
    })
    expect(await usual.check(requestOf({ proof, authorization: `Bearer ${token}` }), create)).toMatchObject({
      reason: 'invalid_token',
      headers: {
        'www-authenticate':
          'Bearer error="invalid_token", error_description="The access token is bound to a key and can not be used as Bearer"',
      },
    })
  })

  it.each<[unknown, RegExp]>([
    [true, /^Guard option dpop.origin: /],
    [null, /^Guard option dpop.origin: /],
    [{}, /^Guard option dpop.origin: /],
    [origin, /^Guard option dpop.origin: /],
    [{ origin: 'submissions.acme.example' }, /absolute URL/],
    [{ origin: 'http://submissions.acme.example' }, /https is needed/],
    [{ origin: `${origin}/` }, /slash/],
    [{ origin: `${origin}?x` }, /query/],
    [{ origin: 'https://u:p@submissions.acme.example' }, /user name/],
    [{ origin, proofMaxAgeMs: 0 }, /^Guard option proofMaxAgeMs: /],
    [{ origin, proofMaxAgeMs: '300000' }, /^Guard option proofMaxAgeMs: /],
  ])('%j, which is a wrong one, the start is refused', (dpop, why) => {
    expect(() => guardWith({ dpop } as Partial<GuardOptions>)).toThrow(why)
  })

  it('proofMaxAgeMs shortens how long a proof counts', async () => {
    const strict = guardWith({ dpop: { origin, proofMaxAgeMs: 10_000 } })
    const aged = (age: number) => prove({ claims: { iat: clock.ms / 1000 - age } })
    expect(await told({ proof: await aged(10) }, strict)).toBe('allowed')
    expect(await told({ proof: await aged(11) }, strict)).toMatch(/is too old/)
  })
})

it('the test holder makes requests that are let in once', async () => {
  const by = await createTestHolder({ now: () => clock.ms })
  const of = await issuer.token({ permissions: [create], cnf: { jkt: by.jkt } })
  const headers = await by.headers(of, 'POST', `${url}?q=1`)
  const request = () => new Request(url, { method: 'POST', headers })
  expect(await guard.check(request(), create)).toMatchObject({ allowed: true })
  expect(await guard.check(request(), create)).toMatchObject({ reason: 'invalid_dpop_proof' })
})
