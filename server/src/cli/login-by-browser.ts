import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { freshFor } from '../protocol/authentication.ts'
import { commandClient, isBuiltIn } from '../protocol/built-in-clients.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { ApiObject } from './connection.ts'
import { type Context, isTerminal, note } from './context.ts'
import { answerTo, idClaims, jsonOf, reached, reasonOf } from './service-address.ts'

/** What somebody signs in for. */
export interface Wanted {
  origin: string
  clientId: string
  scope: string
}

/** The most time for a sign-in, ms: as long as a device code. */
const patience = 600_000

/** Whether a browser on this machine would be seen by the person who types the command. `BROWSER` says so. */
export function hasBrowser(context: Context): boolean {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = context.environment
  if (BROWSER) return true
  if (!isTerminal(context) || SSH_CONNECTION) return false
  return ['darwin', 'win32'].includes(process.platform) || Boolean(DISPLAY || WAYLAND_DISPLAY)
}

/**
 * Signs in through a browser that comes back to this machine (RFC 8252 §7.3), with PKCE. Yields the tokens. Where it
 * `opens` none, the address is shown.
 */
export async function loginByBrowser(
  context: Context,
  wanted: Wanted,
  { opens = true }: { opens?: boolean } = {},
): Promise<ApiObject> {
  const { origin, clientId, scope } = wanted
  const [verifier, state, nonce] = [newSecret(), newSecret(), newSecret()]
  // Anything of this machine may ask there; of a web page it is not known what state it would need.
  const isOurs = ({ state: sent, iss }: Sent) => sent === state && iss === origin
  const back = await listening(new URL(commandClient.redirectUri), 0, isOurs)
  try {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: back.redirectUri,
      response_type: 'code',
      scope,
      state,
      nonce,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      // Some changes want a recent sign-in, for which somebody may be here.
      max_age: String(freshFor / 1000),
    })
    await refuseInVain(wanted, query)
    const address = `${origin}/oauth2/authorize?${query}`
    if (opens) {
      note(context, `Sign in in your browser. If none opens, go to:\n  ${address}`)
      openBrowser(context, address)
    } else
      note(context, `Open this in a browser on this machine:\n  ${address}\n${forwarded(back.redirectUri)}`)
    const code = await back.code
    const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: back.redirectUri }
    const { ok, body } = await answerTo(origin, '/oauth2/token', { ...form, code, code_verifier: verifier })
    if (!ok) throw new Error(`${origin} gave no token: ${reasonOf(body)}`)
    if (idClaims(body).nonce !== nonce) throw new Error(`${origin} answered with tokens of another sign-in.`)
    return body
  } finally {
    back.close()
  }
}

/** A browser elsewhere comes back to its own machine, so that has to lead here. */
export function forwarded(redirectUri: string): string {
  const { port, hostname: here } = new URL(redirectUri)
  return `For a browser on another machine, run there first: ssh -L ${port}:${here}:${port} ${hostname()}`
}

/** Asks first what nobody has to sign in for: a browser would show a refusal, and the command would wait. */
async function refuseInVain({ origin, clientId }: Wanted, query: URLSearchParams): Promise<void> {
  const asked = new URLSearchParams([...query, ['prompt', 'none']])
  const response = await reached(origin, `/oauth2/authorize?${asked}`)
  const location = response.headers.get('location')
  const answer = location === null ? jsonOf(await response.text()) : redirected(location)
  const error = answer?.error
  if (error === 'invalid_client') throw new Error(noClient(clientId, origin))
  if (error === 'invalid_redirect_uri') {
    throw new Error(
      `The client ${clientId} is registered for no loopback address. Add to it in the declared file:\n` +
        `  application_type: native\n  redirect_uris: [${commandClient.redirectUri}]\nOr sign in with --device.`,
    )
  }
  // What a person answers.
  if (/^(login|interaction|consent)_required$/.test(String(error))) return
  throw new Error(`${origin} does not let ${clientId} sign in: ${reasonOf(answer ?? {})}`)
}

const redirected = (location: string): ApiObject => Object.fromEntries(new URL(location).searchParams)

export function noClient(clientId: string, origin: string): string {
  const own = isBuiltIn(clientId) ? 'administration' : clientId
  return (
    `${origin} has no client ${clientId} that may be used. Name another by --client, or make one:\n` +
    `  tessera client create ${own} --client-name '${commandClient.name}' --type public --application-type native \\\n` +
    `    --redirect-uri ${commandClient.redirectUri} --service iam --scope 'openid service.api'\n` +
    `  tessera login ${origin} --client ${own}`
  )
}

interface Back {
  redirectUri: string
  code: Promise<string>
  close(): void
}

type Sent = Readonly<Record<string, string>>

/** The port of an address of this machine, 0 for a free one, for the one answer that is `isOurs`. */
export async function listening(at: URL, port: number, isOurs: (sent: Sent) => boolean): Promise<Back> {
  const server = createServer()
  const host = at.hostname.replace(/^\[|\]$/g, '')
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const redirectUri = Object.assign(new URL(at), { port: (server.address() as AddressInfo).port }).href
  const code = new Promise<string>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('Nobody signed in for ten minutes. Run it again.')),
      patience,
    )
    server.once('close', () => clearTimeout(late))
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', redirectUri)
      const sent: Record<string, string> = Object.fromEntries(url.searchParams)
      const isAnswer = url.pathname === at.pathname && isOurs(sent)
      response.writeHead(isAnswer ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        connection: 'close',
      })
      // When the page is sent: closing would cut it off.
      response.once('close', () => {
        if (!isAnswer) return
        if (sent.code === undefined) reject(new Error(`Nobody is signed in: ${reasonOf(sent)}`))
        else resolve(sent.code)
      })
      response.end(
        isAnswer ? 'Go on in the terminal. You can close this page.\n' : 'There is nothing here.\n',
      )
    })
  })
  // The promise may be rejected before anybody waits for it.
  code.catch(() => undefined)
  const close = () => {
    server.close()
    // Browsers also open some that they do not use.
    server.closeAllConnections()
  }
  return { redirectUri, code, close }
}

/** Opens a browser. The address stands in the terminal, in case none can be opened. */
export function openBrowser({ environment }: Context, address: string): void {
  const openers: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [command = '', ...options] = environment.BROWSER
    ? [environment.BROWSER]
    : (openers[process.platform] ?? ['xdg-open'])
  const child = spawn(command, [...options, address], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
