import * as client from 'openid-client'
import { CLIENT_ID, CLIENT_SECRET, ISSUER, own, SCOPE, serve } from './serve.mjs'

const config = await client.discovery(
  new URL(ISSUER),
  CLIENT_ID,
  undefined,
  client.ClientSecretBasic(CLIENT_SECRET),
  { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
)
let [begun, tokens] = [undefined, undefined]

serve({
  async '/login'() {
    const code_verifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    begun = {
      pkceCodeVerifier: code_verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    }
    const code_challenge = await client.calculatePKCECodeChallenge(code_verifier)
    const asked = { redirect_uri: `${own}/callback`, scope: SCOPE, state, nonce, code_challenge }
    return { to: client.buildAuthorizationUrl(config, { ...asked, code_challenge_method: 'S256' }) }
  },
  async '/callback'(request) {
    tokens = await client.authorizationCodeGrant(config, new URL(request.url, own), begun)
    return { to: '/who' }
  },
  '/who': () => ({ sub: tokens?.claims().sub }),
  async '/refresh'() {
    const before = tokens.access_token
    tokens = await client.refreshTokenGrant(config, tokens.refresh_token)
    return { refreshed: tokens.access_token !== before }
  },
  '/call': () => client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub),
  '/logout'() {
    const id_token_hint = tokens.id_token
    tokens = undefined
    return { to: client.buildEndSessionUrl(config, { id_token_hint, post_logout_redirect_uri: `${own}/` }) }
  },
})
