import { isLoopbackHost } from '../protocol/redirect-uri.ts'
import type { ApiObject } from './connection.ts'

const timeout = 60_000

/** The address of a service that was named, without a slash at its end. Tokens go only there, and never in clear over a network. */
export function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${address} is no address of a service: write it like https://id.example.com.`)
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Error(`The token would go to ${url.host} for everybody to read: write https://${url.host}.`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Redirects are not followed: the token is for this service. */
export async function reached(origin: string, path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(`${origin}${path}`, {
      signal: AbortSignal.timeout(timeout),
      ...init,
      redirect: 'manual',
    })
  } catch (error) {
    const { cause = error } = error as Error
    const reason = cause instanceof AggregateError ? cause.errors[0] : cause
    throw new Error(
      `${origin} can't be reached: check the address and that the service runs (${String(reason)}).`,
      { cause: error },
    )
  }
}

export function jsonOf(text: string): ApiObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as ApiObject) : undefined
  } catch {
    return undefined
  }
}

/** What an endpoint of the protocol answers to a form. */
export async function answerTo(
  origin: string,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<{ ok: boolean; body: ApiObject }> {
  const response = await reached(origin, path, { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  const body = jsonOf(text)
  if (body !== undefined) return { ok: response.ok, body }
  if (response.ok && text === '') return { ok: true, body: {} }
  throw new Error(
    `${origin} answered ${response.status}: is it a Tessera? Give the address of the service itself.`,
  )
}

/** Why, as the service says it. */
export const reasonOf = ({ error, error_description: description }: ApiObject): string =>
  String(description ?? error ?? 'it does not say why')

/** The claims of the ID token, which came from the service itself, by TLS or on this machine (OpenID Connect Core 1.0 §3.1.3.7). */
export function idClaims({ id_token: token }: ApiObject): ApiObject {
  const [, payload = ''] = String(token).split('.')
  return jsonOf(Buffer.from(payload, 'base64url').toString()) ?? {}
}
