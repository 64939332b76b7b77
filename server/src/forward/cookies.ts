/** The cookies of an application's origin. What is ours among them is handed to nobody else. */

const ours = '__Host-tessera-'

/** The session at the application. */
export const sessionCookie = `${ours}proxied`
/** Ways back of sign-ins that were begun; the number tells one from another. */
export const wayCookies = [1, 2, 3, 4, 5].map((number) => `${ours}way-${number}`)

const parts = (header: string | undefined): string[] => (header ?? '').split(/; */)

/** The cookie of this name. Undefined: there is none, or it came twice. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const [value, ...more] = parts(header).filter((one) => one.startsWith(`${name}=`))
  return value === undefined || more.length > 0 ? undefined : value.slice(name.length + 1)
}

/** The visitor's cookies as the application gets them. */
export const withoutOurs = (header: string | undefined): string =>
  parts(header)
    .filter((one) => one !== '' && !one.startsWith(ours))
    .join('; ')

/** A cookie that only https pages of this very host can set. Seconds; 0 takes it away. */
export const setCookie = (name: string, value: string, maxAge: number): string =>
  `${name}=${value}; Max-Age=${maxAge}; Path=/; Secure; HttpOnly; SameSite=Lax`
