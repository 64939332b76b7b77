/** An issuer may lie below a path of its host, such as `https://example.com/auth` (decisions 37). */

/** `/auth`; empty where the issuer is an origin. */
export function pathOfIssuer(issuer: string): string {
  // The first eight characters are `https://`, or `http://` and one of the host.
  const at = issuer.indexOf('/', 8)
  return at === -1 ? '' : issuer.slice(at)
}

/** A path as an issuer may have it: nothing in it is encoded, and it ends with no slash. */
const plainPath = /^(\/[A-Za-z0-9_~.-]+)+$/

/** Whether an issuer is an origin, or a plain path below one. */
export function isIssuer(text: string): boolean {
  const { origin, pathname, hostname } = new URL(text)
  const path = text.slice(origin.length)
  // No policy of a page can name a path on such a host.
  if (path !== '' && hostname.startsWith('[')) return false
  // Dots that lead upwards have left the path that the URL has.
  return text.startsWith(origin) && (path === '' || (path === pathname && plainPath.test(path)))
}
