import { readFileSync } from 'node:fs'
import { CLIENT_ID, ISSUER, own, SCOPE, serve } from './serve.mjs'

const library = readFileSync('node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js', 'utf8')

/** A page that does this in the browser, and then shows what came of it as JSON. */
const page = (does) => () => ({
  html: `<!doctype html><title>Application</title><body></body><script>${library}</script><script>
    const manager = new oidc.UserManager({
      authority: '${ISSUER}', client_id: '${CLIENT_ID}', redirect_uri: '${own}/callback',
      post_logout_redirect_uri: '${own}/', scope: '${SCOPE}',
      userStore: new oidc.WebStorageStateStore({ store: localStorage }),
    })
    const does = async () => { ${does} }
    does().then((shown) => { if (shown) document.body.textContent = JSON.stringify(shown) },
      (error) => { document.body.textContent = JSON.stringify({ error: String(error) }) })
  </script>`,
})

serve({
  '/login': page('await manager.signinRedirect({ nonce: crypto.randomUUID() })'),
  '/callback': page("await manager.signinCallback(); location.href = '/who'"),
  '/who': page('return { sub: (await manager.getUser())?.profile.sub }'),
  '/refresh': page(`const before = (await manager.getUser()).access_token
    return { refreshed: (await manager.signinSilent()).access_token !== before }`),
  '/call': page(`const { access_token } = await manager.getUser()
    return await (await fetch('${ISSUER}/oauth2/userinfo', { headers: { authorization: 'Bearer ' + access_token } })).json()`),
  '/logout': page('await manager.signoutRedirect()'),
})
