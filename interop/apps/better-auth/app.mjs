import { toNodeHandler } from 'better-auth/node'
import express from 'express'
import { ISSUER, own } from './serve.mjs'

// PASTE
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
/** The account of who asks, and what its tokens are. */
const tokensOf = async (request) => {
  const headers = new Headers({ cookie: request.headers.cookie ?? '' })
  const [{ id: accountId }] = await auth.api.listUserAccounts({ headers })
  const { accessToken } = await auth.api.getAccessToken({ body: { accountId }, headers })
  return { accountId, accessToken, headers }
}
app.get('/refresh', async (request, response) => {
  const { accountId, accessToken: before, headers } = await tokensOf(request)
  const { accessToken: after } = await auth.api.refreshToken({ body: { accountId }, headers })
  response.json({ refreshed: after !== undefined && after !== before })
})
app.get('/call', async (request, response) => {
  const authorization = `Bearer ${(await tokensOf(request)).accessToken}`
  response.json(await (await fetch(`${ISSUER}/oauth2/userinfo`, { headers: { authorization } })).json())
})
app.get('/logout', (_, response) =>
  response.send(page('/api/auth/sign-out', {}, "document.body.textContent = '{}'")),
)
app.get('/', (_, response) => response.json({}))
app.listen(Number(new URL(own).port), '127.0.0.1')
