/** The sign-ins of `tessera compare`, in a browser of the operator. */
import { createInterface } from 'node:readline'
import { newSecret } from '../../protocol/identifier.ts'
import { isLoopbackHost } from '../../protocol/redirect-uri.ts'
import { type Context, note } from '../context.ts'
import { forwarded, hasBrowser, listening, openBrowser } from '../login-by-browser.ts'
import {
  type Answers,
  answersOf,
  authorizationAt,
  type ComparedClient,
  type Issuer,
  reasonOf,
} from './other-issuer.ts'

type Sent = Readonly<Record<string, string>>

export interface Asked {
  scope: string
  as: string
}

/** Yields the answers of a service after a sign-in there. `pasted`: the addresses that the browser ended on. */
export async function signedIn(
  context: Context,
  issuer: Issuer,
  { client, asked, pasted }: { client: ComparedClient; asked: Asked; pasted: AsyncIterator<string> },
): Promise<Answers> {
  const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
  const address = authorizationAt(issuer, client, { ...asked, state, nonce, verifier })
  // RFC 9207 §2.4: an answer of another service is none to this request.
  const isOurs = ({ state: sent, iss }: Sent) =>
    sent === state && (iss === undefined ? !issuer.namesItself : iss === issuer.issuer)
  const code = comesBackHere(client.redirectUri)
    ? await heard(context, issuer, { address, client, isOurs })
    : await read(context, issuer, { address, client, isOurs, pasted })
  return await answersOf(issuer, client, { code, verifier, nonce })
}

interface Waiting {
  address: string
  client: ComparedClient
  isOurs: (sent: Sent) => boolean
}

function comesBackHere(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return protocol === 'http:' && isLoopbackHost(hostname)
}

async function heard(
  context: Context,
  { issuer }: Issuer,
  { address, client, isOurs }: Waiting,
): Promise<string> {
  const at = new URL(client.redirectUri)
  const back = await listening(at, Number(at.port || 80), isOurs).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Nothing can listen at ${at.origin} (${error.code}): stop the application there first.`)
  })
  try {
    if (hasBrowser(context)) {
      note(context, `Sign in at ${issuer} in your browser. If none opens, go to:\n  ${address}`)
      openBrowser(context, address)
    } else
      note(
        context,
        `Sign in at ${issuer}: open this in a browser on this machine:\n  ${address}\n${forwarded(at.href)}`,
      )
    return await back.code
  } finally {
    back.close()
  }
}

async function read(
  context: Context,
  { issuer }: Issuer,
  { address, client, isOurs, pasted }: Waiting & { pasted: AsyncIterator<string> },
): Promise<string> {
  note(
    context,
    `Sign in at ${issuer} in a browser:\n  ${address}\nIt ends at ${client.redirectUri}, with an error or a page of the application, which must not use up the code: best with the application stopped.\nPaste that address here:`,
  )
  const line = await pasted.next()
  const text = line.done === true ? '' : line.value.trim()
  if (!URL.canParse(text) || !text.startsWith(client.redirectUri))
    throw new Error(`That is no address that begins with ${client.redirectUri}.`)
  const sent = Object.fromEntries(new URL(text).searchParams)
  if (!isOurs(sent)) throw new Error(`That is no answer of ${issuer} to this sign-in.`)
  if (sent.code === undefined) throw new Error(`Nobody is signed in at ${issuer}: ${reasonOf(sent)}`)
  return sent.code
}

/** The lines of standard input, for both sign-ins. */
export async function* linesOf({ input }: Context): AsyncGenerator<string, void> {
  const reading = createInterface({ input })
  try {
    yield* reading
  } finally {
    reading.close()
  }
}
