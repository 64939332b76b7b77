import { type GuardSettings, isSecure } from './options.ts'

type FetchSettings = Pick<GuardSettings, 'fetch' | 'fetchTimeoutMs'>

/** Larger answers are not a discovery document or a key set. */
const maxBytes = 256 * 1024

/**
 * Asks the issuer where its keys are (OpenID Connect Discovery 1.0 §4).
 * @throws Error when the document can't be fetched or is of another issuer.
 */
export async function discoverJwksUri(settings: GuardSettings): Promise<string> {
  const { issuer } = settings
  const url = `${issuer}/.well-known/openid-configuration`
  const document = await fetchObject(url, settings)
  // §4.3: the issuer in the document MUST be the one that was asked.
  if (document.issuer !== issuer) {
    const found = JSON.stringify(document.issuer)?.slice(0, 200) ?? 'none'
    throw new Error(`The document at ${url} is of another issuer: expected "${issuer}", found ${found}`)
  }
  const { jwks_uri } = document
  if (typeof jwks_uri !== 'string' || !URL.canParse(jwks_uri)) throw new Error(`No jwks_uri at ${url}`)
  const target = new URL(jwks_uri)
  const downgraded = issuer.startsWith('https:') && target.protocol !== 'https:'
  if (downgraded || !isSecure(target)) throw new Error(`The jwks_uri at ${url} is not https`)
  return target.href
}

/**
 * Fetches a key set (RFC 7517 §5), without reading its keys.
 * @throws Error when it can't be fetched.
 */
export async function fetchKeySet(url: string, settings: FetchSettings): Promise<readonly unknown[]> {
  const { keys } = await fetchObject(url, settings)
  if (!Array.isArray(keys)) throw new Error(`No key set at ${url}`)
  return keys
}

async function fetchObject(url: string, settings: FetchSettings): Promise<Record<string, unknown>> {
  const value = parsed(await withTimeout(url, settings, (signal) => fetchText(url, settings, signal)))
  if (typeof value !== 'object' || value === null) throw new Error(`No JSON object at ${url}`)
  return value as Record<string, unknown>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Gives up in time even when the given fetch ignores its signal. When this process stood still, the timer fires far too
 * late and before a waiting answer is read; it is then set once more.
 */
async function withTimeout<T>(
  url: string,
  settings: FetchSettings,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { fetchTimeoutMs } = settings
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const giveUp = () => {
      reject(new Error(`No answer from ${url} within ${fetchTimeoutMs} ms`))
      controller.abort()
    }
    const latest = performance.now() + 1.5 * fetchTimeoutMs
    timer = setTimeout(() => {
      if (performance.now() < latest) giveUp()
      else timer = setTimeout(giveUp, fetchTimeoutMs)
    }, fetchTimeoutMs)
  })
  try {
    return await Promise.race([work(controller.signal), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

async function fetchText(url: string, settings: FetchSettings, signal: AbortSignal): Promise<string> {
  const response = await answerOf(url, settings, signal)
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`Status ${response.status} instead of 200 from ${url}`)
  }
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error(`Empty answer from ${url}`)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes += chunk.value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel()
      throw new Error(`More than ${maxBytes} bytes from ${url}`)
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}

async function answerOf(url: string, { fetch }: FetchSettings, signal: AbortSignal): Promise<Response> {
  try {
    // Not followed: a redirect would move the trust from the configured issuer to another host.
    return await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
  } catch (problem) {
    throw new Error(`No answer from ${url}: ${reasonOf(problem)}`, { cause: problem })
  }
}

/** Node's fetch says "fetch failed", and the reason in its cause. */
function reasonOf(problem: unknown): string {
  const { message, cause } = problem as { message?: unknown; cause?: { code?: unknown; message?: unknown } }
  return String(cause?.code ?? cause?.message ?? message ?? problem)
}
