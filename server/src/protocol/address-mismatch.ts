import { isBuiltIn } from './built-in-clients.ts'
import { unseenSpelledOut } from './characters.ts'
import {
  type AddressField,
  answeredUriProblem,
  type ApplicationType,
  isLoopbackHost,
} from './redirect-uri.ts'
import { shellWord } from './shell-word.ts'

/** What an address differs in from one that is registered, and how far that takes it away. */
const weights = {
  slash: 1,
  case: 1,
  encoding: 1,
  port: 2,
  loopback: 2,
  scheme: 2,
  fragment: 2,
  query: 3,
  path: 5,
  host: 8,
  form: 20,
} as const
export type Difference = keyof typeof weights
export const differences = Object.keys(weights) as [Difference, ...Difference[]]

/** What a client has registered. */
export interface Registered {
  client_id: string
  application_type: ApplicationType
  redirect_uris: readonly string[]
  post_logout_redirect_uris: readonly string[]
}

/** An address that a client asked for, and that it has not registered. */
export interface AddressMismatch {
  client_id: string
  field: AddressField
  /**
   * The address as it came, each character that can't be seen escaped: no registered one has any. Undefined: the request
   * had none.
   */
  came: string | undefined
  /** The registered address that differs least; undefined: none is registered. */
  nearest: string | undefined
  differences: readonly Difference[]
  /** The index at which the two addresses begin to differ. */
  differsAt: number
  /** Why it can't be registered as it came; undefined: it can. */
  problem: string | undefined
}

export function addressMismatch(
  client: Registered,
  field: AddressField,
  sent: string | undefined,
): AddressMismatch {
  const came = sent === undefined ? undefined : unseenSpelledOut(sent)
  const about = { client_id: client.client_id, field, came }
  if (came === undefined)
    return { ...about, nearest: undefined, differences: [], differsAt: 0, problem: undefined }
  const nearest = client[field].toSorted((a, b) => awayFrom(came, a) - awayFrom(came, b))[0]
  return {
    ...about,
    nearest,
    differences: nearest === undefined ? [] : differencesOf(came, nearest),
    differsAt: nearest === undefined ? 0 : sharedStart(came, nearest),
    problem:
      field === 'redirect_uris' && client.application_type === 'document'
        ? 'is none that the document of the client says, and whoever publishes that decides'
        : answeredUriProblem(came, field, client.application_type),
  }
}

/** The nearer of two addresses with the same differences is the one that begins with more of what came. */
const awayFrom = (came: string, registered: string): number =>
  differencesOf(came, registered).reduce((sum, one) => sum + weights[one], 0) -
  sharedStart(came, registered) / 10_000

function sharedStart(a: string, b: string): number {
  let at = 0
  while (at < Math.min(a.length, b.length) && a[at] === b[at]) at += 1
  return at
}

interface UrlParts {
  scheme: string
  host: string
  port: string
  path: string
  query: string
  fragment: string
}

/** The parts as they are written: a parser of URLs would make equal what is compared by bytes. */
function partsOf(uri: string): UrlParts | undefined {
  const found =
    /^(?<scheme>[a-z][\w+.-]*):(?:\/\/(?<host>\[[^\]]*\]|[^/?#:]*)(?<port>:\d*)?(?=[/?#]|$))?(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/is.exec(
      uri,
    )?.groups
  if (found === undefined) return undefined
  const { scheme = '', host = '', port = '', path = '', query = '', fragment = '' } = found
  return { scheme, host, port, path, query, fragment }
}

function differencesOf(came: string, registered: string): Difference[] {
  const [a, b] = [partsOf(came), partsOf(registered)]
  if (a === undefined || b === undefined) return ['form']
  const found = new Set<Difference>()
  if (a.scheme !== b.scheme) found.add(sameLetters(a.scheme, b.scheme) ? 'case' : 'scheme')
  if (a.host !== b.host) found.add(hostDifference(a.host, b.host))
  if (a.port !== b.port) found.add('port')
  for (const one of pathDifferences(a.path, b.path)) found.add(one)
  if (a.query !== b.query) found.add('query')
  if (a.fragment !== b.fragment) found.add('fragment')
  return [...found]
}

const sameLetters = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function hostDifference(a: string, b: string): Difference {
  if (sameLetters(a, b)) return 'case'
  return isLoopbackHost(a.toLowerCase()) && isLoopbackHost(b.toLowerCase()) ? 'loopback' : 'host'
}

/** Tries steps that each take one difference away. The path itself differs where they leave one. */
function pathDifferences(a: string, b: string): Difference[] {
  if (a === b) return []
  const steps: [Difference, (path: string) => string][] = [
    ['slash', (path) => path.replace(/\/$/, '')],
    ['case', (path) => path.toLowerCase()],
    ['encoding', decoded],
  ]
  for (const chosen of [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]) {
    const taken = steps.filter((_step, index) => chosen.includes(index))
    const without = (path: string) => taken.reduce((left, [, step]) => step(left), path)
    if (without(a) === without(b)) return taken.map(([name]) => name)
  }
  return ['path']
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const words: Record<Difference, string> = {
  slash: 'the slash at the end',
  case: 'upper and lower case',
  encoding: 'what is percent-encoded',
  port: 'the port',
  loopback: 'the name of this machine (localhost is not 127.0.0.1)',
  scheme: 'the scheme',
  fragment: 'the fragment',
  query: 'the query',
  path: 'the path',
  host: 'the host',
  form: 'its whole form',
}

/** The name of the parameter that brings an address of this field. */
export const parameterOf = (field: AddressField) =>
  field === 'redirect_uris' ? 'redirect_uri' : 'post_logout_redirect_uri'

/** A sentence about what differs between the address that came and the nearest. */
export const differenceText = ({ differences }: AddressMismatch): string =>
  differences.length === 0 ? '' : `They differ in ${differences.map((one) => words[one]).join(', ')}.`

/** An address for the log: it may hold anything a program has put into a wrong place, or into its query. */
function logged(came: string): string {
  if (partsOf(came) === undefined) return 'which is no address'
  const [address = ''] = came.split(/[?#]/, 1)
  return came === address ? came : `${address}…`
}

/** What happened, for the log of the operators: without what may be secret in an address. */
export function mismatchDetail(mismatch: AddressMismatch): string {
  const { client_id, field, came, nearest } = mismatch
  const parameter = parameterOf(field)
  if (came === undefined) return `The client ${client_id} sent no ${parameter}.`
  const sent = `The client ${client_id} sent the ${parameter} ${logged(came)}`
  if (nearest === undefined) return `${sent}; it has registered none.`
  return `${sent}; the nearest that it has registered is ${nearest}. ${differenceText(mismatch)}`
}

/**
 * The command that registers the address, for a POSIX shell or PowerShell. Undefined: it can't be registered as it came, or
 * holds a quote, which the two read differently.
 */
export function registering({ client_id, field, came, problem }: AddressMismatch): string | undefined {
  if (came === undefined || problem !== undefined || isBuiltIn(client_id) || came.includes("'"))
    return undefined
  const option = `--add-${parameterOf(field).replaceAll('_', '-')}`
  return `tessera client change ${shellWord(client_id)} ${option} ${shellWord(came)}`
}

/** The command for the log. It registers what came, or shows what may be secret in it. */
export function loggedCommand(mismatch: AddressMismatch): string {
  const { client_id, came } = mismatch
  const command = came === undefined || /[?#]/.test(came) ? undefined : registering(mismatch)
  return command ?? `tessera client refused ${shellWord(client_id)}`
}

/** What to do about it. The command stands beside. */
export function mismatchCure({ field, came, nearest, problem }: AddressMismatch): string {
  if (came === undefined) return `Let the application send a registered address as ${parameterOf(field)}.`
  const change = nearest === undefined ? '' : 'Let the application send the registered address. '
  if (problem !== undefined) return `${change}What came can not be registered: it ${problem}.`
  // Another path of a shared host, too, may be somebody else's, as another scheme of an application may.
  return `${change}Register what came only if it is the application’s own.`
}
