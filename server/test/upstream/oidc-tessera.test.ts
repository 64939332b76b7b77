import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import {
  checkOidc,
  oidcAddress,
  oidcAssertion,
  oidcLogoutAddress,
  ownJwks,
} from '../../dist/upstream/oidc.js'
import { Administrator, administeredOn } from '../administration/support.ts'
import { people, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { upstreamOf } from '../harness/upstream-row.ts'
import { askedNow, here, refusalOf } from './oidc-support.ts'

/** A provider that was not made for these tests: this one. */
onOneDatabase('Tessera as the upstream', (dialect) => {
  const tessera = administeredOn(dialect)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    const client = { client_id: 'elsewhere', client_name: 'Elsewhere', type: 'web', first_party: true }
    const uris = { redirect_uris: [redirectUri], post_logout_redirect_uris: [redirectUri] }
    const made = await admin.post('/clients', {
      ...client,
      ...uris,
      scope: 'openid email profile service.api',
      services: ['submissions-tool'],
      jwks: ownJwks({ private_key }),
    })
    expect(made.status).toBe(201)
  })

  const upstream = () =>
    upstreamOf({ issuer: tessera.url, client_id: 'elsewhere', private_key, logout: 'both' })

  it('signs people in by our key, says when, and signs them out', async () => {
    const own = upstream()
    await checkOidc(here, own)
    const asked = askedNow({ redirectUri, prompt: 'login' })
    const browser = new TestBrowser(tessera.url)
    const visit = await signIn(browser, await oidcAddress(here, own, asked), people.importer)
    const back = new URL(visit.location ?? '')
    const assertion = await oidcAssertion(here, own, back, asked, tessera.clock.now())
    expect(assertion).toMatchObject({ fields: { email: people.importer.email }, groups: [] })
    expect(assertion.subject).toMatch(/^[\w-]{20,}$/)
    expect(tessera.clock.now() - (assertion.auth_time ?? 0)).toBeLessThan(60_000)
    const again = oidcAssertion(here, own, back, asked, tessera.clock.now())
    expect(await refusalOf(again)).toMatchObject({ code: 'request_over' })
    const end = { idToken: assertion.id_token ?? '', returnTo: redirectUri, state: 'bye' }
    const left = await browser.open((await oidcLogoutAddress(here, own, end)) ?? '')
    expect(left.location).toBe(`${redirectUri}?state=bye`)
  })

  it('refuses what is signed by another key', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const own = { ...upstream(), private_key: other.export({ type: 'pkcs8', format: 'pem' }).toString() }
    const asked = askedNow({ redirectUri })
    const visit = await signIn(
      new TestBrowser(tessera.url),
      await oidcAddress(here, own, asked),
      people.importer,
    )
    const refused = oidcAssertion(here, own, new URL(visit.location ?? ''), asked, tessera.clock.now())
    expect(await refusalOf(refused)).toMatchObject({ code: 'client_refused' })
  })
})
