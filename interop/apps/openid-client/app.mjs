import { own, serve } from './serve.mjs'

// PASTE: at its start
let [begun, kept] = [undefined, undefined]

serve({
  async '/login'() {
    // PASTE: where somebody signs in
    begun = { code_verifier, state, nonce }
    return { to }
  },
  async '/callback'(request) {
    const { code_verifier, state, nonce } = begun
    // PASTE: at its callback
    kept = tokens
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
