import { generators, Issuer } from 'openid-client'
import { CLIENT_ID, CLIENT_SECRET, ISSUER, own, SCOPE, serve } from './serve.mjs'

const issuer = await Issuer.discover(ISSUER)
const client = new issuer.Client({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  redirect_uris: [`${own}/callback`],
  response_types: ['code'],
})
let [begun, tokens] = [undefined, undefined]

serve({
  '/login'() {
    const [state, nonce] = [generators.state(), generators.nonce()]
    const code_verifier = generators.codeVerifier()
    begun = { state, nonce, code_verifier, response_type: 'code' }
    const code_challenge = generators.codeChallenge(code_verifier)
    return {
      to: client.authorizationUrl({
        scope: SCOPE,
        state,
        nonce,
        code_challenge,
        code_challenge_method: 'S256',
      }),
    }
  },
  async '/callback'(request) {
    tokens = await client.callback(`${own}/callback`, client.callbackParams(request), begun)
    return { to: '/who' }
  },
  '/who': () => ({ sub: tokens?.claims().sub }),
  async '/refresh'() {
    const before = tokens.access_token
    tokens = await client.refresh(tokens)
    return { refreshed: tokens.access_token !== before }
  },
  '/call': () => client.userinfo(tokens),
  '/logout'() {
    const id_token_hint = tokens.id_token
    tokens = undefined
    return { to: client.endSessionUrl({ id_token_hint, post_logout_redirect_uri: `${own}/` }) }
  },
})
