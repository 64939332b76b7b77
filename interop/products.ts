/** What is run: how each product is installed, at which version, and where its application does what. */

export interface Product {
  /** Of its recipe. */
  name: string
  /** From which registries; the first is the product itself, whose version the recipe names. */
  npm?: readonly string[]
  pip?: readonly string[]
  go?: readonly string[]
  cargo?: readonly string[]
  maven?: string
  /** Files of `apps`, and the command that starts them. */
  files: readonly string[]
  start: readonly string[]
  /** What is built before it starts. */
  build?: readonly string[]
  /** Further options of `client create`. */
  options?: readonly string[]
  /** In its settings, beside those of all. */
  environment?: Readonly<Record<string, string>>
  paths: Paths
  /** The page that says it is up, where that is not `/`. */
  up?: string
  note?: string
}

/** Where its application does it; left out: it can't. */
export interface Paths {
  login: string
  /** What to press first. */
  press?: string
  /** Shows the `sub`, address or name of who is signed in. */
  who: string
  refresh?: string
  call?: string
  logout?: string
  logoutPress?: string
  /** `itself`: who signs out of it is still signed in here. */
  leaves?: 'here' | 'itself'
}

const node = (name: string, ...also: readonly string[]) => ({
  name,
  files: [`${name}.mjs`, 'serve.mjs', ...also],
  start: ['node', `${name}.mjs`],
})
const python = (file: string, ...more: readonly string[]) => ({
  files: [file],
  start: ['venv/bin/python', file, ...more],
})
const usual = { login: '/login', who: '/who', refresh: '/refresh', call: '/call', logout: '/logout' }
const express = ['express@5.3.0', 'express-session@1.19.0']

export const products: readonly Product[] = [
  { ...node('openid-client'), npm: ['openid-client@6.9.0'], paths: { ...usual, leaves: 'here' } },
  { ...node('openid-client-5'), npm: ['openid-client@5.7.1'], paths: { ...usual, leaves: 'here' } },
  {
    ...node('passport-openidconnect'),
    npm: ['passport-openidconnect@0.1.2', 'passport@0.7.0', ...express],
    paths: { login: '/login', who: '/who', logout: '/logout' },
    note: 'it fetches userinfo itself',
  },
  {
    ...node('express-openid-connect'),
    npm: ['express-openid-connect@3.4.0', ...express],
    paths: { ...usual, leaves: 'here' },
  },
  {
    ...node('authjs'),
    npm: ['@auth/express@0.12.3', ...express],
    paths: {
      ...usual,
      login: '/auth/signin',
      press: 'button:has-text("Tessera")',
      logout: '/auth/signout',
      logoutPress: 'button[type=submit]',
    },
    note: 'the application refreshes',
  },
  { ...node('oidc-client-ts'), npm: ['oidc-client-ts@3.5.0'], paths: { ...usual, leaves: 'here' } },
  { ...node('better-auth'), npm: ['better-auth@1.7.25', ...express], paths: usual },
  {
    ...node('mcp-sdk'),
    npm: ['@modelcontextprotocol/sdk@1.32.2'],
    options: ['--service', 'tools'],
    paths: { login: '/login', who: '/who', refresh: '/refresh', call: '/call' },
    note: 'finds the issuer by the 401 of the guard (RFC 9728)',
  },
  {
    name: 'authlib',
    ...python('authlib_app.py'),
    pip: ['Authlib==1.9.9', 'Flask==3.1.3', 'requests==2.34.2'],
    paths: { ...usual, leaves: 'here' },
  },
  {
    name: 'mozilla-django-oidc',
    ...python('mozilla_django_oidc_app.py'),
    pip: ['mozilla-django-oidc==5.0.2', 'Django==5.2.19'],
    paths: {
      login: '/oidc/authenticate/',
      who: '/who',
      call: '/call',
      logout: '/oidc/logout/',
      leaves: 'here',
    },
    note: 'no refresh: it signs in anew, without a page',
  },
  {
    name: 'django-allauth',
    ...python('django_allauth_app.py'),
    pip: ['django-allauth[socialaccount]==65.21.1', 'Django==5.2.19'],
    paths: { login: '/accounts/oidc/tessera/login/', who: '/who', logout: '/accounts/logout/' },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'flask-appbuilder',
    ...python('flask_appbuilder_app.py'),
    pip: ['flask-appbuilder==5.3.0', 'Authlib==1.9.9', 'requests==2.34.2'],
    paths: { login: '/login/tessera', who: '/who', logout: '/logout/' },
    note: 'it fetches userinfo itself; not Superset or Airflow',
  },
  {
    name: 'jupyterhub',
    files: ['jupyterhub_config.py'],
    start: ['venv/bin/jupyterhub', '-f', 'jupyterhub_config.py'],
    pip: ['oauthenticator==17.4.0', 'jupyterhub==6.1.1'],
    npm: ['configurable-http-proxy@5.3.0'],
    up: '/hub/login',
    paths: { login: '/hub/oauth_login', who: '/hub/api/user', logout: '/hub/logout' },
    note: 'it fetches userinfo itself; no refresh by default',
  },
  {
    name: 'go-oidc',
    files: ['go_oidc.go'],
    go: ['github.com/coreos/go-oidc/v3/oidc@v3.21.0', 'golang.org/x/oauth2@v0.37.0'],
    build: ['go', 'build', '-o', 'app', '.'],
    start: ['./app'],
    paths: usual,
  },
  {
    name: 'rust-openidconnect',
    files: ['rust'],
    cargo: ['openidconnect@4.0.1'],
    build: ['cargo', 'build', '--quiet', '--manifest-path', 'rust/Cargo.toml'],
    start: ['rust/target/debug/app'],
    paths: usual,
  },
  {
    name: 'spring-boot',
    files: ['spring'],
    maven: 'org.springframework.boot:spring-boot@4.1.2',
    build: ['mvn', '-q', '-B', '-f', 'spring/pom.xml', 'package'],
    start: ['java', '-jar', 'spring/target/app.jar'],
    paths: {
      login: '/oauth2/authorization/tessera',
      who: '/who',
      refresh: '/refresh',
      call: '/call',
      logout: '/logout',
      logoutPress: 'button',
      leaves: 'here',
    },
  },
]
