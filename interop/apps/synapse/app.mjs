import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, request as ask } from 'node:http'

/** Synapse behind a proxy, as it always is, and beside it what a Matrix client does. */
const { URL: own, PORT, ISSUER, CLIENT_ID } = process.env
const port = Number(PORT) + 1
const listens = {
  listeners: [
    {
      port,
      bind_addresses: ['127.0.0.1'],
      type: 'http',
      x_forwarded: true,
      resources: [{ names: ['client'] }],
    },
  ],
  sso: { client_whitelist: [`${own}/`] },
}
writeFileSync('listens.yaml', JSON.stringify(listens))
const line = ['-m', 'synapse.app.homeserver', '-c', 'homeserver.yaml', '-c', 'listens.yaml']
spawn('venv/bin/python', line, { stdio: 'inherit' })

let token
const matrix = async (path, more = {}) =>
  await (await fetch(`http://127.0.0.1:${port}/_matrix/client/v3/${path}`, more)).json()
const paths = {
  '/login': () => ({
    to: `${own}/_matrix/client/v3/login/sso/redirect/oidc-tessera?redirectUrl=${own}/done`,
  }),
  '/done': async ({ searchParams }) => {
    const body = { type: 'm.login.token', token: searchParams.get('loginToken') }
    token = (await matrix('login', { method: 'POST', body: JSON.stringify(body) })).access_token
    return { to: '/who' }
  },
  '/who': async () => await matrix('account/whoami', { headers: { authorization: `Bearer ${token}` } }),
  // Of the issuer: it tells Synapse by back-channel logout.
  '/logout': () => ({ to: `${ISSUER}/oauth2/logout?client_id=${CLIENT_ID}` }),
}

createServer(async (request, response) => {
  const url = new URL(request.url, own)
  const path = paths[url.pathname]
  if (path !== undefined) {
    const { to, ...json } = await path(url)
    if (to !== undefined) return response.writeHead(302, { location: to }).end()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }
  const { method, headers } = request
  const proxied = ask({ host: '127.0.0.1', port, path: request.url, method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  proxied.on('error', () => response.writeHead(502).end())
  request.pipe(proxied)
}).listen(Number(PORT), '127.0.0.1')
