import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'
import express from 'express'
import { CLIENT_ID, CLIENT_SECRET, ISSUER, own } from './serve.mjs'

const stored = { user: [], session: [], account: [], verification: [] }
const auth = betterAuth({
  baseURL: own,
  secret: 'a secret of the interop run, which is long',
  database: memoryAdapter(stored),
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'tessera',
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scopes: ['openid', 'email', 'profile'],
          pkce: true,
        },
      ],
    }),
  ],
})
const app = express()
app.all('/api/auth/*splat', toNodeHandler(auth))
// Its own pages call its API by POST.
const page = (path, body, then) => `<!doctype html><body><script>
  fetch('${path}', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '${JSON.stringify(body)}' })
    .then((answer) => answer.json()).then((json) => { ${then} })</script>`
app.get('/login', (_, response) =>
  response.send(
    page(
      '/api/auth/sign-in/social',
      { provider: 'tessera', callbackURL: '/who' },
      'location.href = json.url',
    ),
  ),
)
app.get('/who', async (request, response) => {
  const session = await auth.api.getSession({
    headers: new Headers({ cookie: request.headers.cookie ?? '' }),
  })
  response.json({ email: session?.user.email })
})
app.get('/refresh', async (request, response) => {
  const headers = new Headers({ cookie: request.headers.cookie ?? '' })
  const before = stored.account[0].accessToken
  const { accessToken: after } = await auth.api.refreshToken({
    body: { accountId: stored.account[0].id },
    headers,
  })
  response.json({ refreshed: after !== undefined && after !== before })
})
app.get('/call', async (_, response) => {
  const authorization = `Bearer ${stored.account[0].accessToken}`
  response.json(await (await fetch(`${ISSUER}/oauth2/userinfo`, { headers: { authorization } })).json())
})
app.get('/logout', (_, response) =>
  response.send(page('/api/auth/sign-out', {}, "document.body.textContent = '{}'")),
)
app.get('/', (_, response) => response.json({}))
app.listen(Number(new URL(own).port), '127.0.0.1')
