/** Keycloak's addresses stand below the issuer as they are written, and nowhere else. */
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { duringTests, startTessera } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'

const path = '/realms/acme'
const tessera = duringTests(async () => {
  const port = String(await freePort('localhost'))
  const settings = {
    TESSERA_PORT: port,
    TESSERA_ISSUER: `http://localhost:${port}${path}`,
    TESSERA_ALIASES: 'keycloak',
  }
  return await startTessera('sqlite', { settings })
})

const statusOf = async (address: string, method = 'GET') =>
  await new Promise<number>((resolve, reject) => {
    const { port } = new URL(tessera.url)
    const asked = request({ host: 'localhost', port, method, path: address }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end()
  })

it.each([
  `/${path}/protocol/openid-connect/certs`,
  `${path}//protocol/openid-connect/certs`,
  `${path}/protocol/openid-connect//certs`,
  `${path}/protocol/openid-connect/certs/`,
  `${path}/Protocol/openid-connect/certs`,
  `${path}/protocol/openid-connect/%63erts`,
  `${path}/x/../protocol/openid-connect/certs`,
  `${path}/protocol/openid-connect/certs;a=b`,
  `/realms/other/protocol/openid-connect/certs`,
  `/protocol/openid-connect/certs`,
  `/realms/acme%2fprotocol/openid-connect/certs`,
])('%s is nothing', async (address) => {
  expect(await statusOf(`${path}/protocol/openid-connect/certs`)).toBe(200)
  expect(await statusOf(address)).toBe(404)
})

it.each([
  'auth',
  'token',
  'logout',
  'revoke',
  'token/introspect',
  'userinfo',
  'auth/device',
  'certs',
  'ext/par/request',
])('%s takes the same methods as our own address', async (name) => {
  const own: Record<string, string> = {
    ...{ auth: 'authorize', 'auth/device': 'device_authorization', certs: 'jwks' },
    'token/introspect': 'introspect',
    'ext/par/request': 'par',
  }
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
    const theirs = await statusOf(`${path}/protocol/openid-connect/${name}`, method)
    expect([name, method, theirs]).toEqual([
      name,
      method,
      await statusOf(`${path}/oauth2/${own[name] ?? name}`, method),
    ])
  }
})
