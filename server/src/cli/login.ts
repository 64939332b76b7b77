import { Command, Option } from 'commander'
import { type Context, note, print, printJson } from './context.ts'
import { liveLogin, loginOf, replaceLogin } from './kept-login.ts'
import { hasBrowser, loginByBrowser } from './login-by-browser.ts'
import { loginByDevice } from './login-by-device.ts'
import { answerTo, idClaims, jsonOf, originOf, reached, reasonOf } from './service-address.ts'

interface Options {
  url?: string
  client: string
  scope: string
  device?: boolean
  json?: boolean
}

const atService = (command: Command): Command =>
  command
    .addOption(new Option('--url <address>', 'the service, instead of TESSERA_URL'))
    .option('--json', 'print the answer as JSON')

/** `tessera login`: a person signs in to a service, and the command then goes by its API in their name. */
export function loginCommand(context: Context): Command {
  return atService(new Command('login'))
    .description('Sign in to a service, so that the command can administer it in your name.')
    .option('--client <client_id>', 'the client to sign in through', 'administration')
    .option('--scope <scopes>', 'what to ask for', 'openid service.api')
    .option('--device', 'show a code to enter on another device, where no browser can be opened')
    .addHelpText(
      'after',
      `
Opens a browser and waits until you have signed in. Where none can be opened, as over SSH, it shows a code instead.
The tokens are kept in a file that you alone may read, under $XDG_CONFIG_HOME/tessera or ~/.config/tessera, and are
refreshed when needed. BROWSER names the browser to open. The client is public and has the service iam.

Examples:
  $ tessera login --url https://id.example.com
  $ tessera user list --url https://id.example.com
  $ tessera login --url https://id.example.com --device --client field-terminal`,
    )
    .action((options: Options) => login(context, options))
}

async function login(context: Context, { url, client, scope, device, json }: Options): Promise<void> {
  const origin = namedOrigin(context, url)
  await refuseOtherIssuer(origin)
  const wanted = { origin, clientId: client, scope }
  const byDevice = device === true || !hasBrowser(context)
  const tokens = await (byDevice ? loginByDevice : loginByBrowser)(context, wanted)
  const kept = loginOf(client, tokens, context.now())
  const before = await replaceLogin(origin, context, kept)
  // The tokens of the login before would live on unseen.
  if (before?.refresh_token !== undefined) await revoked(origin, before).catch(() => undefined)
  const { sub, email } = idClaims(tokens)
  if (json !== true) {
    const as = email === undefined ? '' : ` as ${String(email)}`
    return print(context, `Signed in at ${origin}${as}, through ${client}.`)
  }
  printJson(context, {
    url: origin,
    client_id: client,
    sub,
    ...(email !== undefined && { email }),
    expires_at: new Date(kept.expires_at).toISOString(),
  })
}

/** `tessera logout`: revokes and forgets the tokens. */
export function logoutCommand(context: Context): Command {
  return new Command('logout')
    .description('Sign out of a service: revoke the tokens of tessera login, and remove them.')
    .addOption(new Option('--url <address>', 'the service, instead of TESSERA_URL'))
    .addHelpText(
      'after',
      `
The session in the browser goes on; sign out there too where others use it.

Example:
  $ tessera logout --url https://id.example.com`,
    )
    .action(async ({ url }: Options) => {
      const origin = namedOrigin(context, url)
      const kept = await replaceLogin(origin, context, undefined)
      if (kept === undefined) return note(context, `Nobody is signed in at ${origin} here.`)
      await revoked(origin, kept).catch((error: Error) => {
        throw new Error(
          `The tokens are removed here, but were not revoked, and may live on: ${error.message}`,
        )
      })
      note(context, `Signed out of ${origin}.`)
    })
}

/** A refresh token ends its access tokens too; one without any ends itself. */
async function revoked(
  origin: string,
  {
    client_id,
    refresh_token,
    access_token,
  }: { client_id: string; refresh_token?: string; access_token: string },
): Promise<void> {
  const { ok, body } = await answerTo(origin, '/oauth2/revoke', {
    client_id,
    token: refresh_token ?? access_token,
  })
  if (!ok) throw new Error(reasonOf(body))
}

/** `tessera token`: for what calls an API by itself. */
export function tokenCommand(context: Context): Command {
  return atService(new Command('token'))
    .description('Print an access token of tessera login, refreshed where needed.')
    .addHelpText(
      'after',
      `
Whoever has the token can act in your name until it expires: pass it on, and keep it nowhere.

Examples:
  $ curl -H "Authorization: Bearer $(tessera token --url https://id.example.com)" https://id.example.com/oauth2/userinfo
  $ tessera token --url https://id.example.com --json | jq -r .expires_at`,
    )
    .action(async ({ url, json }: Options) => {
      const origin = namedOrigin(context, url)
      const kept = await liveLogin(origin, context)
      if (kept === undefined)
        throw new Error(`Nobody is signed in at ${origin} here: run tessera login --url ${origin}`)
      const { access_token, expires_at: end } = kept
      if (json !== true) return print(context, access_token)
      printJson(context, { access_token, token_type: 'Bearer', expires_at: new Date(end).toISOString() })
    })
}

function namedOrigin({ environment }: Context, url = environment.TESSERA_URL): string {
  if (url) return originOf(url)
  throw new Error('Which service? Add --url https://id.example.com, or set TESSERA_URL.')
}

/** The issuer is the address of its endpoints (OpenID Connect Discovery 1.0 §4.3). */
async function refuseOtherIssuer(origin: string): Promise<void> {
  const response = await reached(origin, '/.well-known/openid-configuration')
  const issuer = jsonOf(await response.text())?.issuer
  if (issuer === origin) return
  if (typeof issuer !== 'string')
    throw new Error(
      `${origin} answered ${response.status}: is it a Tessera? Give the address of the service itself.`,
    )
  throw new Error(`The service at ${origin} is ${issuer}: name it so, by --url ${issuer}`)
}
