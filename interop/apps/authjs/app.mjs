import { getSession } from '@auth/express'
import express from 'express'
import { CLIENT_ID, CLIENT_SECRET, ISSUER, own } from './serve.mjs'

const app = express()
// PASTE
// The application's own: Auth.js keeps no tokens by itself.
authConfig.callbacks = {
  jwt: ({ token, account }) =>
    account ? { ...token, access: account.access_token, refresh: account.refresh_token } : token,
  session: ({ session, token }) => ({
    ...session,
    sub: token.sub,
    access: token.access,
    refresh: token.refresh,
  }),
}
app.get('/who', async (request, response) =>
  response.json({ email: (await getSession(request, authConfig))?.user?.email }),
)
// What an application does by itself: Auth.js refreshes nothing.
app.get('/refresh', async (request, response) => {
  const { access, refresh } = await getSession(request, authConfig)
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh })
  const authorization = `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}`
  const answer = await fetch(`${ISSUER}/oauth2/token`, { method: 'POST', body, headers: { authorization } })
  const { access_token: after } = await answer.json()
  response.json({ refreshed: after !== undefined && after !== access })
})
app.get('/call', async (request, response) => {
  const { access } = await getSession(request, authConfig)
  const answer = await fetch(`${ISSUER}/oauth2/userinfo`, { headers: { authorization: `Bearer ${access}` } })
  response.json(await answer.json())
})
app.get('/', (_, response) => response.json({}))
app.listen(Number(new URL(own).port), '127.0.0.1')
