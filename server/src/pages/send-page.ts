import { controlsScriptPath } from './controls.tsx'

/** The part of a reply that a page needs. */
interface Reply {
  status(code: number): unknown
  header(name: string, value: string): unknown
  send(body: string): unknown
}

/**
 * Sends a page. `leadsAway`: a form on it may lead to a client in the end. Chromium checks `form-action` against every
 * redirect after a submission, also those of the client, which can lead anywhere. So such a page has no `form-action`.
 * `script`: it has a script of ours beside that of its controls, which may ask us for more where it `fetches`.
 */
export function sendPage(
  reply: Reply,
  html: string,
  options: { status?: number; leadsAway?: boolean; script?: boolean; fetches?: boolean } = {},
): unknown {
  reply.status(options.status ?? 200)
  reply.header('content-type', 'text/html; charset=utf-8')
  reply.header('cache-control', 'no-store')
  const formAction = options.leadsAway === true ? '' : "; form-action 'self'"
  // Text from outside is never markup.
  const scripted = options.script === true || html.includes(controls)
  const scripts = scripted ? "; script-src 'self'" : ''
  const fetches = options.fetches === true ? "; connect-src 'self'" : ''
  reply.header('content-security-policy', `${policy}${scripts}${fetches}${formAction}`)
  return reply.send(html)
}

/** The address may be that of another place, in front. */
const controls = `${controlsScriptPath}"`

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
