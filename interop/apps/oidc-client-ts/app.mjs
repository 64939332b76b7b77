import { readFileSync } from 'node:fs'
import { ISSUER, serve } from './serve.mjs'

/** What the browser loads: the library, and the scripts that were pasted into. */
const modules = {
  'oidc-client-ts': 'node_modules/oidc-client-ts/dist/esm/oidc-client-ts.js',
  'jwt-decode': 'node_modules/jwt-decode/build/esm/index.js',
}
const files = { ...modules, manager: 'manager.js' }
for (const name of ['login', 'callback', 'refresh', 'logout']) files[name] = `${name}.js`
const scripts = Object.fromEntries(
  Object.entries(files).map(([name, file]) => [`/js/${name}`, () => ({ js: readFileSync(file, 'utf8') })]),
)
const map = Object.fromEntries(Object.keys(files).map((name) => [name, `/js/${name}`]))

/** A page that does this in the browser, and shows what came of it as JSON. */
const page = (does) => () => ({
  html: `<!doctype html><title>Application</title><body></body>
  <script type="importmap">${JSON.stringify({ imports: map })}</script>
  <script type="module">
    import { manager } from 'manager'
    const does = async () => { ${does} }
    does().then((shown) => { if (shown) document.body.textContent = JSON.stringify(shown) },
      (error) => { document.body.textContent = JSON.stringify({ error: String(error) }) })
  </script>`,
})

serve({
  ...scripts,
  '/login': page("await import('login')"),
  '/callback': page("await import('callback'); location.href = '/who'"),
  '/who': page('return { sub: (await manager.getUser())?.profile.sub }'),
  '/refresh': page(`const before = (await manager.getUser()).access_token
    await import('refresh')
    return { refreshed: (await manager.getUser()).access_token !== before }`),
  '/call': page(`const { access_token } = await manager.getUser()
    return await (await fetch('${ISSUER}/oauth2/userinfo', { headers: { authorization: 'Bearer ' + access_token } })).json()`),
  '/logout': page("await import('logout')"),
})
