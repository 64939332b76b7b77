/** Bodies that are compressed are not read, and told so. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Administrator, administeredOn, tokenOf } from '../administration/support.ts'
import { machine } from '../harness/program.ts'

describe('a compressed body', () => {
  const tessera = administeredOn('sqlite')
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...machine }).toString()
  const send = async (path: string, encoding: string, headers: Record<string, string> = {}, body = form) =>
    await fetch(`${tessera.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-encoding': encoding,
        ...headers,
      },
      body: encoding === 'identity' ? body : gzipSync(body),
    })

  it.each(['gzip', 'GZIP', 'x-gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'nonsense'])(
    'is 415 by %s',
    async (encoding) => {
      for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect', '/v1/iam/token/refresh']) {
        const answer = await send(path, encoding)
        expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity'])
        expect(await answer.json()).toEqual({
          error: 'unsupported_media_type',
          error_description: expect.stringContaining('Content-Encoding'),
        })
      }
    },
  )

  it('is 415 at the administration API, as a problem', async () => {
    const authorization = `Bearer ${await tokenOf(tessera.url, 'admin-cli')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await send('/admin/v1/roles', 'gzip', headers, '{"code":"x","name":"X","permissions":[]}')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      415,
      'application/problem+json; charset=utf-8',
    ])
    expect((await (await Administrator.machine(tessera.url)).get('/roles/x')).status).toBe(404)
  })

  it('is a page where people post forms', async () => {
    const page = await send('/sign-in?request=x', 'gzip', { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8'])
  })

  it('is read where it is not compressed after all', async () => {
    expect((await send('/oauth2/token', 'identity')).status).toBe(200)
  })

  it('is nobody’s matter where there is no body', async () => {
    const answer = await fetch(`${tessera.url}/oauth2/jwks`, { headers: { 'content-encoding': 'gzip' } })
    expect(answer.status).toBe(200)
  })
})
