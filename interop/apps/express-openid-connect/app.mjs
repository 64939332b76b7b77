import express from 'express'
import { own } from './serve.mjs'

const app = express()
// PASTE
app.get('/who', (request, response) => response.json({ sub: request.oidc.user?.sub }))
app.get('/refresh', async (request, response) => {
  const before = request.oidc.accessToken.access_token
  const { access_token: after } = await request.oidc.accessToken.refresh()
  response.json({ refreshed: after !== before })
})
app.get('/call', async (request, response) => response.json(await request.oidc.fetchUserInfo()))
app.get('/', (_, response) => response.json({}))
app.listen(Number(new URL(own).port), '127.0.0.1')
