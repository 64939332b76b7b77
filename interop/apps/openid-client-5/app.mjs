import { own, serve } from './serve.mjs'

// PASTE: at its start
let [begun, kept] = [undefined, undefined]

serve({
  '/login'() {
    // PASTE: where somebody signs in
    begun = { state, nonce, code_verifier }
    return { to }
  },
  async '/callback'(request) {
    const { state, nonce, code_verifier } = begun
    // PASTE: at its callback
    kept = tokens
    return { to: '/who' }
  },
  '/who': () => ({ sub: kept?.claims().sub }),
  async '/refresh'() {
    const before = kept.access_token
    kept = await client.refresh(kept)
    return { refreshed: kept.access_token !== before }
  },
  '/call': () => client.userinfo(kept),
  '/logout'() {
    const id_token_hint = kept.id_token
    kept = undefined
    return { to: client.endSessionUrl({ id_token_hint, post_logout_redirect_uri: `${own}/` }) }
  },
})
