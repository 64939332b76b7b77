/**
 * Better Auth with its OAuth provider as a process of its own: RS256, JWT access tokens by `resource`, a durable SQLite.
 * Prints what a client has to know as a line of JSON when it is ready. bench/README.md says why it is set up so.
 */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { NodeSqliteDialect } from '@better-auth/kysely-adapter/node-sqlite-dialect'
import { oauthProvider } from '@better-auth/oauth-provider'
import { DatabaseSync } from '@photostructure/sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'

const [, , port, folder] = process.argv
const url = `http://localhost:${port}`
const resource = 'https://api.bench.example'
const redirectUri = 'https://app.bench.example/callback'
const scope = 'openid offline_access service.api'

const database = new DatabaseSync(join(folder, 'better-auth.sqlite'))
// Tessera's driver, and its durability: a commit is on the disk before it is answered.
database.exec('pragma journal_mode = WAL')
database.exec('pragma synchronous = FULL')

/** Its own caches, of what hardly ever changes. */
const trusted = new Set()
const auth = betterAuth({
  baseURL: url,
  secret: 'a secret of the bench, long enough for it',
  // What it makes itself of node:sqlite, whose interface this has on Node 20 as well.
  database: { dialect: new NodeSqliteDialect({ database }), type: 'sqlite', transaction: true },
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error' },
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } }, disableSettingJwtHeader: true }),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes: scope.split(' '),
      resources: [resource],
      cachedResources: new Set([resource]),
      cachedTrustedClients: trusted,
      clientPrivileges: () => true,
    }),
  ],
})
await (await getMigrations(auth.options)).runMigrations()

const cookie = await signUp()
const web = await createClient({
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: [redirectUri],
  scope,
  skip_consent: true,
})
const machine = await createClient({
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['client_credentials'],
  client_credentials_scopes: ['service.api'],
})

/** The cookie of a session. */
async function signUp() {
  const person = {
    name: 'Person',
    email: 'person@bench.example',
    password: 'correct horse battery of the bench',
  }
  const answer = await auth.api.signUpEmail({ body: person, asResponse: true })
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
}

async function createClient(body) {
  const headers = new Headers({ cookie })
  const client = await auth.api.adminCreateOAuthClient({ body, headers })
  const params = { identifier: encodeURIComponent(resource), client_id: client.client_id }
  await auth.api.adminLinkClientResource({ params, headers })
  trusted.add(client.client_id)
  return client
}

createServer(toNodeHandler(auth)).listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({
      issuer: `${url}/api/auth`,
      port: Number(port),
      jwks: '/api/auth/jwks',
      authorize: '/api/auth/oauth2/authorize',
      token: '/api/auth/oauth2/token',
      cookie,
      web: { client_id: web.client_id, redirect_uri: redirectUri, scope, resource },
      machine: {
        client_id: machine.client_id,
        client_secret: machine.client_secret,
        scope: 'service.api',
        resource,
      },
    })}\n`,
  )
})
