import { Command, Option } from 'commander'
import { commandClient } from '../protocol/built-in-clients.ts'
import type { ApiObject } from './connection.ts'
import { type Context, note, print, printJson } from './context.ts'
import { liveLogin, loginOf, replaceLogin } from './kept-login.ts'
import { hasBrowser, loginByBrowser, type Wanted } from './login-by-browser.ts'
import { deviceCodes, loginByDevice, notForDevices } from './login-by-device.ts'
import { answerTo, idClaims, jsonOf, originOf, reached, reasonOf } from './service-address.ts'

interface LoginOptions {
  url?: string
  client: string
  scope: string
  device?: boolean
  json?: boolean
}

const atService = (command: Command): Command =>
  command
    .argument('[address]', 'the service, instead of TESSERA_URL')
    .addOption(new Option('--url <address>', 'the same'))

/** `tessera login`: a person signs in to a service, and the command then goes by its API in their name. */
export function loginCommand(context: Context): Command {
  return atService(new Command('login'))
    .description('Sign in to a service, so that the command can administer it in your name.')
    .option('--client <client_id>', 'the client to sign in through', commandClient.clientId)
    .option('--scope <scopes>', 'what to ask for', 'openid service.api')
    .option('--device', 'show a code to enter on another device, where no browser can be opened')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Opens a browser and waits until you have signed in. Where none can be opened, as over SSH, it shows a code for another
device, if the client is registered for that, or else the address. The tokens are kept in a file that you alone may
read, under $XDG_CONFIG_HOME/tessera or ~/.config/tessera, and are refreshed when needed. BROWSER names the browser to
open. The client comes along; another one is public and has the service iam.

Examples:
  $ tessera login https://id.example.com
  $ tessera user list --url https://id.example.com
  $ tessera login https://id.example.com --device --client field-terminal`,
    )
    .action((address: string | undefined, options: LoginOptions) => login(context, address, options))
}

async function login(context: Context, address: string | undefined, options: LoginOptions): Promise<void> {
  const { url, client, scope, device = false, json } = options
  const origin = namedOrigin(context, address, url)
  await refuseOtherIssuer(origin)
  const tokens = await signedIn(context, { origin, clientId: client, scope }, device)
  const kept = loginOf(client, tokens, context.now())
  const before = await replaceLogin(origin, context, kept)
  // The tokens of the login before would live on unseen.
  if (before?.refresh_token !== undefined) await revoked(origin, before).catch(() => undefined)
  const { sub, email } = idClaims(tokens)
  if (json !== true) {
    const as = email === undefined ? '' : ` as ${String(email)}`
    print(context, `Signed in at ${origin}${as}, through ${client}.`)
    return note(context, `In your name from now on: tessera user list --url ${origin}`)
  }
  printJson(context, {
    url: origin,
    client_id: client,
    sub,
    ...(email !== undefined && { email }),
    expires_at: new Date(kept.expires_at).toISOString(),
  })
}

/** Signs in by a browser, or by a code where that was asked for or none opens; without either, shows the address. */
async function signedIn(context: Context, wanted: Wanted, device: boolean): Promise<ApiObject> {
  if (!device && hasBrowser(context)) return await loginByBrowser(context, wanted)
  const codes = await deviceCodes(wanted)
  if (codes !== undefined) return await loginByDevice(context, wanted, codes)
  if (device) throw notForDevices(wanted)
  return await loginByBrowser(context, wanted, { opens: false })
}

/** `tessera logout`: revokes and forgets the tokens. */
export function logoutCommand(context: Context): Command {
  return atService(new Command('logout'))
    .description('Sign out of a service: revoke the tokens of tessera login, and remove them.')
    .addHelpText(
      'after',
      `
The session in the browser goes on; sign out there too where others use it.

Example:
  $ tessera logout https://id.example.com`,
    )
    .action(async (address: string | undefined, { url }: LoginOptions) => {
      const origin = namedOrigin(context, address, url)
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
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Whoever has the token can act in your name until it expires: pass it on, and keep it nowhere.

Examples:
  $ curl -H "Authorization: Bearer $(tessera token https://id.example.com)" https://id.example.com/oauth2/userinfo
  $ tessera token https://id.example.com --json | jq -r .expires_at`,
    )
    .action(async (address: string | undefined, { url, json }: LoginOptions) => {
      const origin = namedOrigin(context, address, url)
      const kept = await liveLogin(origin, context)
      if (kept === undefined)
        throw new Error(`Nobody is signed in at ${origin} here: run tessera login --url ${origin}`)
      const { access_token, expires_at: end } = kept
      if (json !== true) return print(context, access_token)
      printJson(context, { access_token, token_type: 'Bearer', expires_at: new Date(end).toISOString() })
    })
}

function namedOrigin(
  { environment }: Context,
  address: string | undefined,
  option: string | undefined,
): string {
  if (address !== undefined && option !== undefined)
    throw new Error('The service is named twice: leave out --url.')
  const url = address ?? option ?? environment.TESSERA_URL
  if (url) return originOf(url)
  throw new Error('Which service? Add its address, such as https://id.example.com, or set TESSERA_URL.')
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
