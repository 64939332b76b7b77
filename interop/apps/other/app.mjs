import * as client from 'openid-client'
import { own, serve } from './serve.mjs'

process.loadEnvFile('.env')
const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_REDIRECT_URI, OIDC_SCOPE } = process.env
const { OIDC_DISCOVERY_URL, OIDC_CODE_CHALLENGE_METHOD } = process.env

/** A library that is told all that is printed, and uses the second half where the first does not suffice. */
const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
const config = await client.discovery(
  new URL(OIDC_DISCOVERY_URL),
  OIDC_CLIENT_ID,
  undefined,
  client.ClientSecretBasic(OIDC_CLIENT_SECRET),
  { execute },
)
const told = config.serverMetadata()
for (const [name, value] of Object.entries({
  issuer: OIDC_ISSUER,
  authorization_endpoint: process.env.OIDC_AUTHORIZATION_ENDPOINT,
  token_endpoint: process.env.OIDC_TOKEN_ENDPOINT,
  userinfo_endpoint: process.env.OIDC_USERINFO_ENDPOINT,
  jwks_uri: process.env.OIDC_JWKS_URI,
  end_session_endpoint: process.env.OIDC_END_SESSION_ENDPOINT,
}))
  if (told[name] !== value) throw new Error(`${name} is ${told[name]}, and ${value} was pasted`)
let [begun, kept] = [undefined, undefined]

serve({
  async '/login'() {
    const code_verifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    begun = { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce }
    const code_challenge = await client.calculatePKCECodeChallenge(code_verifier)
    const code_challenge_method = OIDC_CODE_CHALLENGE_METHOD
    const asked = { redirect_uri: OIDC_REDIRECT_URI, scope: OIDC_SCOPE, state, nonce }
    return { to: client.buildAuthorizationUrl(config, { ...asked, code_challenge, code_challenge_method }) }
  },
  async '/callback'(request) {
    kept = await client.authorizationCodeGrant(config, new URL(request.url, own), begun)
    return { to: '/who' }
  },
  '/who': () => ({ sub: kept?.claims().sub }),
  async '/refresh'() {
    const before = kept.access_token
    kept = await client.refreshTokenGrant(config, kept.refresh_token)
    return { refreshed: kept.access_token !== before }
  },
  '/call': () => client.fetchUserInfo(config, kept.access_token, kept.claims().sub),
  '/logout'() {
    const id_token_hint = kept.id_token
    kept = undefined
    return { to: client.buildEndSessionUrl(config, { id_token_hint, post_logout_redirect_uri: `${own}/` }) }
  },
})
