import type { FastifyHttpOptions, FastifyRequest } from 'fastify'
import type { Server } from 'node:http'
import { Parameters } from '../protocol/parameters.ts'
import type { Settings } from '../settings.ts'
import { LogOutput } from './log-output.ts'

/** One for the process, however many services it runs. */
const output = new LogOutput()

/**
 * The log. Nothing hands it a secret: it gets the path of a request, and the code and detail of a refusal. What is
 * taken out here is what an error quotes and what somebody logs by mistake.
 */
export function logger({ logLevel }: Settings): NonNullable<FastifyHttpOptions<Server>['logger']> {
  if (logLevel === 'silent') return false
  return {
    level: logLevel,
    stream: output,
    serializers: {
      // The query holds codes, states and hints: only the path is logged.
      req: (request) => ({ method: request.method, path: request.url?.split('?')[0] }),
      err: (error: Error | ToldError) => (error instanceof Error ? tellError(error) : error),
    },
    redact: { paths: redactedPaths(), censor: redacted },
  }
}

const redacted = '[redacted]'

/** The headers, parameters, cookies and columns that carry secrets. */
const names = [
  ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'referer', 'location'],
  ['password', 'password_hash', 'client_secret', 'secret', 'secret_hash', 'private_key', 'privateKey'],
  ['code', 'code_verifier', 'codeVerifier', 'code_challenge', 'state', 'nonce', 'csrf', 'request'],
  ['token', 'access_token', 'accessToken', 'refresh_token', 'refreshToken', 'id_token', 'idToken'],
  ['id_token_hint', 'logout_token', 'assertion', 'client_assertion', 'login_hint'],
].flat()

/** What they may be nested in. A wildcard instead would cost every line 20 µs, a tenth of a request. */
const holders = [
  ['headers', 'body', 'query', 'cookies', 'form', 'parameters', 'client', 'session', 'tokens', 'row'],
  ['res', 'res.headers', 'response', 'response.headers'],
].flat()

function redactedPaths(): string[] {
  const within = (holder: string) => names.map((name) => `${holder}["${name}"]`)
  return [...names.map((name) => `["${name}"]`), ...holders.flatMap(within)]
}

/** An error as it is logged, without its other properties, such as the values of a statement. */
type ToldError = { type: string; message: string; stack: string; client_id?: string }

/** Tells an error and its causes, without what looks like a secret and without anything of `sent`. */
export function tellError(error: Error, sent: readonly string[] = []): ToldError {
  const chain = causesOf(error)
  const clean = (text: string) => withoutSecrets(text, sent)
  // A long id in the message would be taken for a secret.
  const { client_id } = error as Error & { client_id?: unknown }
  return {
    ...(typeof client_id === 'string' && { client_id }),
    type: error.constructor.name,
    message: clean(chain.map(messageOf).join(': ')),
    stack: clean(chain.map(({ stack }) => stack ?? '').join('\ncaused by: ')),
  }
}

const longestChain = 5

function causesOf(error: Error): Error[] {
  const chain = [error]
  for (let { cause } = error; cause instanceof Error && chain.length < longestChain; { cause } = cause)
    chain.push(cause)
  return chain
}

/** The message with the code of the driver or of the system, which operators look up. */
function messageOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? `${error.message} [${code}]` : error.message
}

/** Long words that are no secret: ids and names of settings. */
const telling = /^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|TESSERA(_[A-Z]+)+)$/
const named = new RegExp(`(["']?\\b(?:${names.join('|')})\\b["']?)(=|["']\\s*:\\s*["'])[^"'&\\s]+`, 'gi')

function withoutSecrets(text: string, sent: readonly string[]): string {
  const unsent = sent.reduce((left, value) => left.replaceAll(value, redacted), text)
  return (
    unsent
      .replace(/\b(basic|bearer|dpop)\s+[^\s,;"']+/gi, `$1 ${redacted}`)
      // The password of an address.
      .replace(/(:\/\/[^\s/:@]{0,200}):[^\s/@]{0,200}@/g, `$1:${redacted}@`)
      .replace(named, `$1$2${redacted}`)
      // Random values and hashes are at least this long.
      .replace(/[\w-]{32,}(\.[\w-]+)*/g, (word) => (telling.test(word) ? word : redacted))
  )
}

/** Shorter ones stand in any text. */
const tellingLength = 6

/** All that a request sent, in the pieces that an error could quote; the longest first. */
export function sentBy({ raw, body }: FastifyRequest): string[] {
  const forms = [raw.url?.split('?')[1] ?? '', body instanceof Parameters ? String(body) : '']
  const values = forms.flatMap((form) => [form, ...form.split('&'), ...new URLSearchParams(form).values()])
  const headers = headerValues(raw.rawHeaders).flatMap((text) => [text, ...text.split(/[\s;,=]+/)])
  const pieces = [...values, ...headers].flatMap((piece) => [piece, encodeURIComponent(piece)])
  return [...new Set(pieces)]
    .filter(({ length }) => length >= tellingLength)
    .sort((a, b) => b.length - a.length)
}

/** The values, which alternate with the names. Host is our own address, which messages may name. */
function headerValues(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() !== 'host')
}
