import { authorizeRequest, TestBrowser, type Visit } from '../harness/browser.ts'

/** One try to sign in, from a new browser unless one is given; redirects are not followed. */
export async function trySignIn(
  url: string,
  person: { email: string; password: string },
  {
    browser = new TestBrowser(url),
    headers = {},
  }: { browser?: TestBrowser; headers?: Record<string, string> } = {},
): Promise<Visit> {
  Object.assign(browser.headers, headers)
  const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
  return await browser.submitOnce(page, person)
}

/** How many of some parallel tries were evaluated: answered 400 (wrong) or 303 (right), and not 429 or 503. */
export const evaluated = (visits: readonly Visit[]) =>
  visits.filter((visit) => visit.status === 400 || visit.status === 303).length

export const wrong = (person: { email: string }) => ({ email: person.email, password: 'a wrong password' })

export const unknown = (n: number) => ({ email: `unknown-${n}@acme.example`, password: 'a wrong password' })

export async function tries(
  url: string,
  count: number,
  person: { email: string; password: string },
  options: Parameters<typeof trySignIn>[2] = {},
): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await trySignIn(url, person, options)).status)
  return statuses
}

export const retryAfter = (visit: Visit) => Number(visit.headers.get('retry-after'))
