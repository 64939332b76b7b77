/** As much of a reply as a page needs. */
interface Reply {
  status(code: number): unknown
  header(name: string, value: string): unknown
  send(body: string): unknown
}

/**
 * Sends a page. `formTarget` is where a form on it may lead in the end, such as the client's redirect URI:
 * Chromium holds `form-action` against every redirect that follows a submission.
 */
export function sendPage(
  reply: Reply,
  html: string,
  options: { status?: number; formTarget?: string } = {},
): unknown {
  reply.status(options.status ?? 200)
  reply.header('content-type', 'text/html; charset=utf-8')
  reply.header('cache-control', 'no-store')
  reply.header('content-security-policy', pagePolicy(options.formTarget))
  return reply.send(html)
}

const fixed =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"

function pagePolicy(formTarget: string | undefined): string {
  if (formTarget === undefined) return `${fixed}; form-action 'self'`
  const url = new URL(formTarget)
  // An IPv6 host has no place in the grammar of CSP (CSP Level 3 §2.3.1), so the directive is left out for it.
  if (url.hostname.startsWith('[')) return fixed
  // A private-use scheme has no origin: the scheme itself is the source.
  return `${fixed}; form-action 'self' ${url.origin === 'null' ? url.protocol : url.origin}`
}
