/** What is run: how each product is installed, at which version, and where its application does what. */

export interface Product {
  /** Of its recipe; and of its folder in `apps`, where it has one. */
  name: string
  /** From which registries; the first is the product itself, whose version the recipe names. */
  npm?: readonly string[]
  pip?: readonly string[]
  /** Of modules that it is made with, and a command that is one itself. */
  go?: readonly string[]
  command?: string
  cargo?: readonly string[]
  maven?: string
  deb?: readonly string[]
  /** A folder of `apps` that it has before its own. */
  base?: string
  /** The files that its settings are pasted into, in their order. */
  pasted: readonly string[]
  /** What is run before it starts. */
  build?: readonly (readonly string[])[]
  start: readonly string[]
  /** Further options of `client create`. */
  options?: readonly string[]
  /** Its recipe asks where the MCP server is. */
  at?: 'audience'
  /** In its environment, beside what all have. */
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
  /** What to press there. */
  whoPress?: string
  refresh?: string
  call?: string
  logout?: string
  logoutPress?: string
  /** `itself`: who signs out of it is still signed in here. */
  leaves?: 'here' | 'itself'
}

const usual = { login: '/login', who: '/who', refresh: '/refresh', call: '/call', logout: '/logout' }
const express = ['express@5.3.0', 'express-session@1.19.0']
const app = 'app.mjs'
const node = { start: ['node', app] }
const python = { start: ['venv/bin/python', 'app.py'] }
/** A project that is pasted into. */
const django = {
  base: 'django',
  build: [['venv/bin/python', 'manage.py', 'migrate', '--verbosity', '0']],
  start: ['venv/bin/python', 'manage.py', 'runserver', '--noreload', 'PORT'],
  pasted: ['settings.py', 'urls.py'],
}
/** What somebody types into a shell. */
const shell = 'pasted.sh'
const typed = ['sh', '-e', shell]

const libraries: readonly Product[] = [
  {
    name: 'openid-client',
    ...node,
    npm: ['openid-client@6.9.0'],
    pasted: [app, app, app],
    paths: { ...usual, leaves: 'here' },
  },
  {
    name: 'openid-client-5',
    ...node,
    npm: ['openid-client@5.7.1'],
    pasted: [app, app, app],
    paths: { ...usual, leaves: 'here' },
  },
  {
    name: 'other',
    ...node,
    npm: ['openid-client@6.9.0'],
    pasted: ['.env'],
    paths: { ...usual, leaves: 'here' },
  },
  {
    name: 'passport-openidconnect',
    ...node,
    npm: ['passport-openidconnect@0.1.2', 'passport@0.7.0', ...express],
    pasted: [app],
    paths: { login: '/login', who: '/who', logout: '/logout' },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'express-openid-connect',
    ...node,
    npm: ['express-openid-connect@3.4.0', ...express],
    pasted: [app],
    paths: { ...usual, leaves: 'here' },
  },
  {
    name: 'authjs',
    ...node,
    npm: ['@auth/express@0.12.3', ...express],
    pasted: [app],
    paths: {
      ...usual,
      login: '/auth/signin',
      press: 'button:has-text("Tessera")',
      logout: '/auth/signout',
      logoutPress: 'button[type=submit]',
    },
    note: 'the application refreshes',
  },
  {
    name: 'next-auth',
    npm: ['next-auth@4.24.15', 'next@15.5.29', 'react@19.2.3', 'react-dom@19.2.3'],
    pasted: ['.env.local', 'pages/api/auth/[...nextauth].js'],
    build: [['next', 'build']],
    start: ['next', 'start', '-H', '127.0.0.1', '-p', 'PORT'],
    environment: { NEXT_TELEMETRY_DISABLED: '1' },
    paths: {
      login: '/api/auth/signin',
      press: 'button:has-text("Tessera")',
      who: '/api/auth/session',
      logout: '/api/auth/signout',
      logoutPress: 'button[type=submit]',
    },
    note: 'no refresh by itself',
  },
  {
    name: 'oidc-client-ts',
    ...node,
    npm: ['oidc-client-ts@3.5.0'],
    pasted: ['manager.js', 'login.js', 'callback.js', 'refresh.js', 'logout.js'],
    paths: { ...usual, leaves: 'here' },
  },
  { name: 'better-auth', ...node, npm: ['better-auth@1.7.25', ...express], pasted: [app], paths: usual },
  {
    name: 'mcp-sdk',
    ...node,
    base: 'mcp',
    npm: ['@modelcontextprotocol/sdk@1.32.2'],
    pasted: [app, app],
    options: ['--service', 'tools'],
    paths: { login: '/login', who: '/who', refresh: '/refresh', call: '/call' },
    note: 'finds the issuer by the 401 of the guard (RFC 9728)',
  },
  {
    name: 'authlib',
    ...python,
    pip: ['Authlib==1.9.10', 'Flask==3.1.3', 'requests==2.34.2'],
    pasted: ['app.py'],
    paths: { ...usual, leaves: 'here' },
  },
  {
    name: 'fastapi',
    pip: ['fastapi==0.165.0', 'uvicorn==0.52.0'],
    pasted: [shell, 'app.py'],
    build: [typed],
    start: ['venv/bin/uvicorn', 'app:app', '--port', 'PORT'],
    paths: { login: '/login', who: '/who', logout: '/logout', leaves: 'here' },
    note: 'as Flask with Authlib',
  },
  {
    name: 'mozilla-django-oidc',
    ...django,
    pip: ['mozilla-django-oidc==5.0.2', 'Django==5.2.19'],
    paths: {
      login: '/oidc/authenticate/',
      who: '/who',
      call: '/call',
      logout: '/out',
      logoutPress: 'button',
      leaves: 'here',
    },
    note: 'no refresh: it signs in anew, without a page',
  },
  {
    name: 'django-allauth',
    ...django,
    pip: ['django-allauth[socialaccount]==65.21.1', 'Django==5.2.19'],
    paths: {
      login: '/accounts/oidc/tessera/login/',
      press: 'button',
      who: '/who',
      logout: '/accounts/logout/',
      logoutPress: 'button',
      leaves: 'here',
    },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'python-social-auth',
    ...django,
    pip: ['social-auth-app-django==8.0.0', 'Django==5.2.19'],
    paths: { login: '/sign-in', press: 'button', who: '/who' },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'flask-appbuilder',
    ...python,
    pip: ['flask-appbuilder==5.3.0', 'requests==2.34.2'],
    pasted: [shell, 'config.py', 'tessera_security.py'],
    build: [typed],
    paths: { login: '/login/tessera', who: '/who', logout: '/logout/', leaves: 'here' },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'streamlit',
    pip: ['streamlit==1.67.0'],
    pasted: [shell, '.streamlit/secrets.toml', 'app.py'],
    build: [typed],
    start: [
      'venv/bin/streamlit',
      'run',
      'app.py',
      '--server.headless=true',
      '--server.address=127.0.0.1',
      '--server.port=PORT',
      '--browser.gatherUsageStats=false',
    ],
    paths: {
      login: '/',
      press: 'button:has-text("Sign in")',
      who: '/',
      logout: '/',
      logoutPress: 'button:has-text("Sign out")',
      leaves: 'here',
    },
    note: 'no refresh',
  },
  {
    name: 'go-oidc',
    go: ['github.com/coreos/go-oidc/v3/oidc@v3.21.0', 'golang.org/x/oauth2@v0.37.0'],
    pasted: ['app.go', 'app.go', 'app.go'],
    build: [['go', 'build', '-o', 'app', '.']],
    start: ['./app'],
    paths: usual,
  },
  {
    name: 'rust-openidconnect',
    cargo: ['openidconnect@4.0.1'],
    pasted: ['src/main.rs', 'src/main.rs', 'src/main.rs'],
    build: [['cargo', 'build', '--quiet']],
    start: ['target/debug/app'],
    paths: usual,
  },
  {
    name: 'spring-boot',
    maven: 'org.springframework.boot:spring-boot@4.1.2',
    pasted: ['src/main/resources/application.yaml', 'src/main/java/app/App.java'],
    build: [['mvn', '-q', '-B', 'package']],
    start: ['java', '-jar', 'target/app.jar', '--server.address=127.0.0.1', '--server.port=PORT'],
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

const applications: readonly Product[] = [
  {
    name: 'oauth2-proxy',
    command: 'github.com/oauth2-proxy/oauth2-proxy/v7@v7.15.6',
    pasted: ['oauth2-proxy.cfg'],
    start: [
      'bin/oauth2-proxy',
      '--config=oauth2-proxy.cfg',
      '--http-address=127.0.0.1:PORT',
      '--cookie-secure=false',
    ],
    up: '/ping',
    paths: { login: '/oauth2/start', who: '/oauth2/userinfo', logout: '/oauth2/sign_out', leaves: 'here' },
    note: 'eight refreshes at once: by hand',
  },
  {
    name: 'jupyterhub',
    start: ['venv/bin/jupyterhub', '-f', 'jupyterhub_config.py'],
    pip: ['oauthenticator==17.4.0', 'jupyterhub==6.1.1'],
    npm: ['configurable-http-proxy@5.3.0'],
    pasted: ['jupyterhub_config.py'],
    up: '/hub/login',
    paths: { login: '/hub/oauth_login', who: '/hub/api/user', logout: '/hub/logout', leaves: 'here' },
    note: 'it fetches userinfo itself; no refresh by default',
  },
  {
    name: 'superset',
    pip: ['apache-superset==6.1.0'],
    pasted: [shell, 'superset_config.py'],
    build: [typed, ['venv/bin/superset', 'db', 'upgrade'], ['venv/bin/superset', 'init']],
    start: ['venv/bin/superset', 'run', '-h', '127.0.0.1', '-p', 'PORT'],
    environment: { FLASK_APP: 'superset', SUPERSET_HOME: '.', PYTHONPATH: '.' },
    up: '/health',
    paths: { login: '/login/tessera', who: '/api/v1/me/', logout: '/logout/', leaves: 'here' },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'node-red',
    npm: ['node-red@4.1.15'],
    pasted: [shell, 'settings.js'],
    build: [typed],
    start: ['node-red', '--userDir', '.', '--settings', 'settings.js'],
    up: '/auth/login',
    paths: { login: '/auth/strategy', who: '/', whoPress: '#red-ui-header-button-user' },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'mcp-remote',
    ...node,
    base: 'mcp',
    npm: ['mcp-remote@0.15.1', '@modelcontextprotocol/sdk@1.32.2'],
    pasted: ['client.json'],
    options: ['--service', 'tools'],
    at: 'audience',
    environment: { MCP_REMOTE_CONFIG_DIR: '.' },
    paths: { login: '/login', who: '/who', call: '/call' },
    note: 'finds the issuer by the 401 of the guard (RFC 9728)',
  },
  {
    name: 'minio',
    ...node,
    command: 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c',
    npm: ['openid-client@6.9.0', 'minio@8.0.7'],
    pasted: ['minio.env', app],
    paths: { login: '/login', who: '/who', call: '/call', logout: '/logout', leaves: 'here' },
    note: '“calls” is S3 by keys of the STS',
  },
  {
    name: 'pgadmin',
    pip: ['pgadmin4==9.18'],
    pasted: ['config_local.py'],
    start: ['venv/bin/pgadmin4'],
    environment: {
      PYTHONPATH: '.',
      PGADMIN_SETUP_EMAIL: 'setup@acme.example',
      PGADMIN_SETUP_PASSWORD: 'of the interop run',
    },
    up: '/misc/ping',
    paths: {
      login: '/',
      press: 'button:has-text("Tessera")',
      who: '/browser/',
      logout: '/logout',
      leaves: 'here',
    },
    note: 'it fetches userinfo itself',
  },
  {
    name: 'synapse',
    ...node,
    pip: ['matrix-synapse[oidc]==1.163.2'],
    pasted: ['homeserver.yaml'],
    build: [
      [
        'venv/bin/python',
        '-m',
        'synapse.app.homeserver',
        '-c',
        'homeserver.yaml',
        '--generate-missing-configs',
      ],
    ],
    up: '/_matrix/client/versions',
    paths: { login: '/login', who: '/who', logout: '/logout', logoutPress: 'button', leaves: 'here' },
    note: 'signed out by back-channel logout',
  },
  {
    name: 'mod-auth-openidc',
    deb: [
      'libapache2-mod-auth-openidc=2.4.12.3-2+deb12u5',
      'apache2-bin',
      'libapr1',
      'libaprutil1',
      'libcjose0',
      'libhiredis0.14',
      'libjansson4',
      'liblua5.3-0',
    ],
    pasted: ['pasted.conf'],
    // Apache gives up the rights of root, and reads as somebody else.
    build: [['chmod', '755', '.']],
    start: [
      'sh',
      '-c',
      'ROOT=$PWD LD_LIBRARY_PATH=$PWD/deb/usr/lib/x86_64-linux-gnu exec deb/usr/sbin/apache2 -d . -f httpd.conf -DFOREGROUND',
    ],
    up: '/up.txt',
    paths: {
      login: '/who.shtml',
      who: '/who.shtml',
      call: '/finance/who.shtml',
      logout: '/oidc/callback?logout=',
      leaves: 'here',
    },
    note: '“calls” is an area for one role',
  },
]

export const products: readonly Product[] = [...libraries, ...applications]
