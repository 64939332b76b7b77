import fc from 'fast-check'
import { expect, it } from 'vitest'
import { authorizeRequest, post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { encoded, headerNames, headerText, hostile, runs, stepPaths, withoutLimits } from './hostile-input.ts'
import { flawOf, formRequest, getRequest, rawRequest } from './hostile-support.ts'
import { machine, Visitor } from '../harness/program.ts'

onOneDatabase('whatever is sent beside parameters', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: withoutLimits })

  const sound = async (bytes: string | Buffer) =>
    expect(flawOf(await rawRequest(tessera.listening, bytes))).toBeUndefined()

  it('as cookies is answered, and nobody is signed in by it', async () => {
    const { port } = new URL(tessera.url)
    const name = fc.constantFrom(
      `tessera-${port}-session`,
      `tessera-${port}-browser`,
      `tessera-${port}-device`,
      'tessera-session',
      '__Host-tessera-session',
      '__proto__',
    )
    const one = fc.tuple(fc.oneof(name, headerText), headerText).map(([key, value]) => `${key}=${value}`)
    const path = fc.constantFrom(
      `${authorizeRequest({ prompt: 'none' }).path}`,
      '/oauth2/logout',
      ...stepPaths.map((step) => `${step}?request=x`),
    )
    await fc.assert(
      fc.asyncProperty(path, fc.array(one, { maxLength: 5 }), async (to, sent) => {
        const answer = await rawRequest(tessera.listening, getRequest(to, [`Cookie: ${sent.join('; ')}`]))
        expect(flawOf(answer)).toBeUndefined()
        expect(answer.headers.get('location') ?? '').not.toContain('code=')
      }),
      runs(160),
    )
  })

  it('as an Authorization header is refused', async () => {
    const basic = fc.oneof(hostile, encoded).map((text) => `Basic ${Buffer.from(text).toString('base64')}`)
    const jwt = fc
      .tuple(fc.json(), fc.json(), fc.base64String())
      .map((parts) => `Bearer ${parts.map((part) => Buffer.from(part).toString('base64url')).join('.')}`)
    const scheme = fc.constantFrom('Bearer', 'bearer', 'Basic', 'DPoP', 'Digest', '')
    const anything = fc.tuple(scheme, headerText).map(([first, rest]) => `${first} ${rest}`.trim())
    await fc.assert(
      fc.asyncProperty(fc.oneof(basic, jwt, anything), async (value) => {
        const headers = value === '' ? [] : [`Authorization: ${value}`]
        for (const bytes of [
          getRequest('/oauth2/userinfo', headers),
          formRequest('/oauth2/token', 'grant_type=client_credentials', headers),
          formRequest('/oauth2/introspect', 'token=x', headers),
        ]) {
          const answer = await rawRequest(tessera.listening, bytes)
          expect(flawOf(answer)).toBeUndefined()
          expect([400, 401]).toContain(answer.status)
        }
      }),
      runs(120),
    )
  })

  it('as any other header is answered', async () => {
    const name = fc.constantFrom(...headerNames)
    const path = fc.constantFrom(
      '/oauth2/jwks',
      '/oauth2/userinfo',
      '/nowhere',
      '/sign-in',
      '/api/doc',
      '/health/ready',
    )
    await fc.assert(
      fc.asyncProperty(path, fc.array(fc.tuple(name, headerText), { maxLength: 6 }), async (to, headers) => {
        await sound(
          getRequest(
            to,
            headers.map(([key, value]) => `${key}: ${value}`),
          ),
        )
      }),
      runs(160),
    )
  })

  it('as an address is answered', async () => {
    const target = fc.oneof(
      encoded,
      headerText.map((text) => text.replaceAll(/\s/g, '')),
    )
    await fc.assert(
      fc.asyncProperty(
        target,
        fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'PATCH'),
        async (to, method) => {
          await sound(getRequest(`/${to}`).replace(/^GET/, method).replace('HEAD ', 'GET '))
        },
      ),
      runs(120),
    )
  })

  it('the service is as well afterwards as before', async () => {
    expect((await new Visitor(tessera.url).tokens()).token_type).toBe('Bearer')
    const grant = await post(`${tessera.url}/oauth2/token`, { grant_type: 'client_credentials', ...machine })
    expect(grant.status).toBe(200)
  })
})
