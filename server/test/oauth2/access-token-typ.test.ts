import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGuard } from '@tessera/guard'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { complaintsOf, runHere } from '../cli/command-support.ts'
import { applyChanged } from '../declared/change.ts'
import { acme, edited, machineFor } from '../declared/support.ts'
import { answerOf, authorizeRequest, headerOf, people, post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import {
  audiences,
  introspect,
  machine,
  machineToken,
  otherMachine,
  refresh,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'

afterAll(cleanUp)

/** Lets the service of this audience ask for JWT. */
const asJwt = (audience: string): [string, string] => [
  `audience: ${audience}\n`,
  `audience: ${audience}\n    access_token_typ: JWT\n`,
]
const own = asJwt(audiences.submissions)
const permission = 'submissions-tool.vista-import.create'
const typOf = (jwt: string | undefined) => headerOf(jwt).typ

/** Frameworks that know no at+jwt, and what else then passes where, or must not. */
onOneDatabase('access_token_typ', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    await applyChanged(tessera, own)
  })

  const machineTyp = async (form: Record<string, string> = {}) =>
    typOf(await machineToken(tessera.url, { ...machine, ...form }))
  const options = () => ({ issuer: tessera.url, audience: audiences.submissions, now: tessera.clock.now })

  it('JWT is what a framework without at+jwt takes, and the guard when told', async () => {
    const jwt = await machineToken(tessera.url)
    const keys = createRemoteJWKSet(new URL(`${tessera.url}/oauth2/jwks`))
    const { audience, issuer } = options()
    const verified = await jwtVerify(jwt, keys, {
      audience,
      issuer,
      typ: 'JWT',
      currentDate: new Date(tessera.clock.now()),
    })
    expect(verified.payload.permissions).toEqual([permission])
    expect((await createGuard(options()).check(`Bearer ${jwt}`, permission)).allowed).toBe(false)
    const lenient = createGuard({ ...options(), acceptTypJwt: true })
    expect((await lenient.check(`Bearer ${jwt}`, permission)).allowed).toBe(true)
  })

  it('does not let an ID token pass as an access token, at the guard or here', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const { id_token: idToken = '', access_token: accessToken = '' } = tokens
    expect([typOf(idToken), typOf(accessToken)]).toEqual(['JWT', 'JWT'])
    const lenient = createGuard({ ...options(), acceptTypJwt: true })
    expect((await lenient.authenticate(`Bearer ${accessToken}`)).allowed).toBe(true)
    expect(await lenient.authenticate(`Bearer ${idToken}`)).toMatchObject({
      status: 401,
      body: { error_description: 'The token is not an access token' },
    })
    const atClient = createGuard({ ...options(), audience: 'submissions-web', acceptTypJwt: true })
    expect((await atClient.authenticate(`Bearer ${idToken}`)).allowed).toBe(false)
    expect((await userinfo(tessera.url, idToken)).status).toBe(401)
    expect(await introspect(tessera.url, idToken)).toEqual({ active: false })
    const users = await fetch(`${tessera.url}/admin/v1/users`, {
      headers: { authorization: `Bearer ${idToken}` },
    })
    expect(users.status).toBe(401)
    await post(`${tessera.url}/oauth2/revoke`, { client_id: 'submissions-web', token: idToken })
    expect((await userinfo(tessera.url, accessToken)).status).toBe(200)
  })

  it('does not let an access token pass as an ID token', async () => {
    const visitor = new Visitor(tessera.url)
    const { access_token: token = '', id_token: idToken = '' } = await visitor.tokens()
    const hinted = async (hint: string) =>
      answerOf(await visitor.browser.open(authorizeRequest({ prompt: 'none', id_token_hint: hint }).path))
    expect(await hinted(idToken)).toHaveProperty('code')
    expect(await hinted(token)).toMatchObject({ error: 'invalid_request' })
    for (const clientId of ['&client_id=submissions-web', '']) {
      const left = await visitor.browser.request(`/oauth2/logout?id_token_hint=${token}${clientId}`)
      expect([left.status, left.body.includes('invalid_request')]).toEqual([400, true])
    }
    expect((await userinfo(tessera.url, token)).status).toBe(200)
  })

  it('JWT is taken by userinfo, refreshed, introspected and revoked as any other', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const { status, json } = await userinfo(tessera.url, tokens.access_token)
    expect([status, json.email]).toEqual([200, people.importer.email])
    const again = tokensOf(await refresh(tessera.url, tokens.refresh_token))
    expect([typOf(again.access_token), typOf(again.id_token)]).toEqual(['JWT', 'JWT'])
    expect(await introspect(tessera.url, again.access_token)).toMatchObject({ active: true })
    await post(`${tessera.url}/oauth2/revoke`, {
      client_id: 'submissions-web',
      token: again.access_token ?? '',
    })
    expect(await introspect(tessera.url, again.access_token)).toEqual({ active: false })
    expect((await userinfo(tessera.url, again.access_token)).status).toBe(401)
  })

  it('is at+jwt where nothing is said, for the issuer, and for several of which one does not ask for JWT', async () => {
    expect(typOf(await machineToken(tessera.url, otherMachine))).toBe('at+jwt')
    const forIssuer = await new Visitor(tessera.url).tokens({ scope: 'openid email' })
    expect(typOf(forIssuer.access_token)).toBe('at+jwt')
    try {
      await applyChanged(tessera, own, machineFor('submissions-tool, ledger'))
      expect(await machineTyp()).toBe('at+jwt')
      expect(await machineTyp({ resource: audiences.submissions })).toBe('JWT')
      expect(await machineTyp({ resource: audiences.ledger })).toBe('at+jwt')
      await applyChanged(tessera, own, asJwt(audiences.ledger), machineFor('submissions-tool, ledger'))
      expect(await machineTyp()).toBe('JWT')
      await applyChanged(tessera, own, machineFor('submissions-tool, iam'))
      expect(await machineTyp()).toBe('at+jwt')
    } finally {
      await applyChanged(tessera, own)
    }
  })

  it('stands in the declared file, in its plan and in its export; other values are refused', async () => {
    const file = join(temporaryFolder(), 'typ.yaml')
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
    const on = (command: string, text: string) => {
      writeFileSync(file, text)
      return runHere([command, file], { environment })
    }
    const told = /~ submissions-tool\n +access_token_typ: "JWT" -> "at\+jwt"/
    expect(await on('plan', acme)).toMatchObject({ code: 2, stdout: expect.stringMatching(told) })
    expect(await on('plan', edited(acme, own))).toMatchObject({ code: 0 })
    const wrong = await on('apply', edited(acme, [own[0], own[1].replace('JWT', 'jwt')]))
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(complaintsOf(wrong)).toEqual([
      expect.stringMatching(/:7: access_token_typ is at\+jwt or JWT, not "jwt"/),
    ])
    const exported = join(temporaryFolder(), 'all.yaml')
    expect(await runHere(['export', exported], { environment })).toMatchObject({ code: 0 })
    expect(readFileSync(exported, 'utf8').match(/access_token_typ: .*/g)).toEqual(['access_token_typ: JWT'])
  })
})
