/** An issuer may lie below a path of its host, such as `https://example.com/auth` (decisions 37). */

/** `/auth`; empty where the issuer is an origin. */
export const pathOfIssuer = (issuer: string): string => issuer.slice(new URL(issuer).origin.length)

/** A path as an issuer may have it: nothing in it is encoded, and it ends with no slash. */
const plainPath = /^(\/[A-Za-z0-9_~.-]+)+$/

/** Whether an issuer is an origin, or a plain path below one. */
export function isIssuer(text: string): boolean {
  const { origin, pathname } = new URL(text)
  const path = text.slice(origin.length)
  // Dots that lead upwards have left the path that the URL has.
  return text.startsWith(origin) && (path === '' || (path === pathname && plainPath.test(path)))
}
