/** Every route of the administration API, by its table: who is let in. */
import { beforeAll, describe, expect, it } from 'vitest'
import { adminRoutes } from '../../dist/administration/routes.js'
import { iamPermissions } from '../../dist/protocol/permission.js'
import { acme, Administrator, problemOf, tokenOf, administeredOn } from './support.ts'
import { onEachDatabase, onOneDatabase } from '../harness/databases.ts'
import { post } from '../harness/browser.ts'
import { audiences, machineToken, token } from '../harness/program.ts'
import { changeClient } from '../harness/states.ts'

const routes = adminRoutes.map(({ method, path, permission }) => ({
  name: `${method} ${path}`,
  method,
  url: `/admin/v1${path.replaceAll(/:(\w+)/g, acme)}`,
  permission,
}))

onOneDatabase('the routes of the administration API', (dialect) => {
  const tessera = administeredOn(dialect)
  let onlooker: string
  beforeAll(async () => {
    onlooker = await tokenOf(tessera.url, 'onlooker-cli')
  })

  const ask = async (method: string, url: string, authorization?: string) => {
    const response = await fetch(`${tessera.url}${url}`, {
      method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(method === 'POST' || method === 'PATCH' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' || method === 'PATCH' ? { body: '{}' } : {}),
    })
    // What goes on has no end to wait for.
    const goesOn = response.headers.get('content-type') === 'text/event-stream'
    if (goesOn) await response.body?.cancel()
    return { response, text: goesOn ? '' : await response.text() }
  }

  describe.each(routes)('$name', ({ method, url, permission }) => {
    it('names a permission of iam', () => {
      // They tell each what they may read anyway.
      if (['/admin/v1/me', '/admin/v1/attention'].includes(url)) expect(permission).toBeUndefined()
      else expect(iamPermissions).toContain(permission)
    })

    it('without a token is 401', async () => {
      const { response, text } = await ask(method, url)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer, DPoP algs="ES256 PS256 EdDSA"')
      expect(JSON.parse(text)).toMatchObject({ error: 'unauthorized' })
    })

    it('with a token for another service is 401', async () => {
      const { response, text } = await ask(method, url, `Bearer ${await machineToken(tessera.url)}`)
      expect(response.status).toBe(401)
      expect(JSON.parse(text)).toMatchObject({ error: 'invalid_token' })
    })

    it('without the permission is 403, and names it', async () => {
      const { response, text } = await ask(method, url, `Bearer ${onlooker}`)
      // What it holds, or what needs none.
      if (permission === undefined || permission === 'iam.audit.read')
        return expect(response.status).not.toBe(403)
      expect(response.status).toBe(403)
      expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
      expect(JSON.parse(text)).toMatchObject({ error: 'insufficient_scope', permission })
    })
  })

  it('takes a token of another method than Bearer for none', async () => {
    expect((await ask('GET', '/admin/v1/users', `Basic ${onlooker}`)).response.status).toBe(401)
    expect((await ask('GET', `/admin/v1/users?access_token=${onlooker}`)).response.status).toBe(401)
  })

  it('answers another method with 405 and what there is', async () => {
    const put = await fetch(`${tessera.url}/admin/v1/users/${acme}`, { method: 'PUT' })
    expect(put.status).toBe(405)
    expect(put.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH')
    expect((await fetch(`${tessera.url}/admin/v1/nothing`)).status).toBe(404)
  })

  it('is never a service that can be declared, and its tokens carry its audience alone', async () => {
    const answer = await token(tessera.url, {
      grant_type: 'client_credentials',
      client_id: 'acme-cli',
      client_secret: 'acme-cli-development-secret',
      resource: audiences.submissions,
    })
    const other = new Administrator(tessera.url, String(answer.json.access_token))
    const refused = await other.get('/users')
    expect([refused.status, refused.json.error]).toEqual([401, 'invalid_token'])
  })
})

onEachDatabase('the administration API', (dialect) => {
  const tessera = administeredOn(dialect)

  it('refuses a token at once that was revoked, whose client was disabled, or that lost its service', async () => {
    const revoked = await tokenOf(tessera.url, 'admin-cli')
    const credentials = { client_id: 'admin-cli', client_secret: 'admin-cli-development-secret' }
    await post(`${tessera.url}/oauth2/revoke`, { ...credentials, token: revoked })
    const ended = await new Administrator(tessera.url, revoked).get('/users')
    expect(problemOf(ended)).toBe('401 invalid_token')
    expect(ended.headers.get('www-authenticate')).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+"$/,
    )

    const admin = await Administrator.machine(tessera.url)
    expect((await admin.get('/users')).status).toBe(200)
    const setting = (columns: { active?: 0 | 1; services?: string; permissions?: string }) =>
      changeClient(tessera, 'admin-cli', columns)
    await setting({ active: 0 })
    expect(problemOf(await admin.get('/users'))).toBe('401 invalid_token')
    await setting({ active: 1, services: '[]' })
    expect(problemOf(await admin.get('/users'))).toBe('401 invalid_token')
    await setting({ services: '["iam"]', permissions: '["iam.roles.read"]' })
    const refused = await admin.get('/users')
    expect(problemOf(refused)).toBe('403 insufficient_scope')
    expect(refused.json.permissions).toEqual(['iam.users.read'])
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    await setting({ permissions: '["iam.*"]' })
    expect((await admin.get('/users')).status).toBe(200)
  })
})
