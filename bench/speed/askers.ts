import {
  authorizeRequest,
  people,
  redirectUri,
  signIn,
  TestBrowser,
} from '../../server/test/harness/browser.ts'

/** Who asks: chosen anew for each request. */
export interface Askers {
  machine(): { clientId: string; secret: string }
  /** Somebody who is signed in. */
  person(): { cookie: string; clientId: string; redirectUri: string }
  /** Of families that were there before; otherwise those that the exchanges just gave. */
  refreshTokens?(count: number): { clientId: string; refreshToken: string }[]
}

/** Those of the reference file: one machine, and one person who signs in now. */
export async function declaredAskers(url: string): Promise<Askers> {
  const browser = new TestBrowser(url)
  await signIn(browser, authorizeRequest().path, people.importer)
  const cookie = browser.cookieHeader()
  return {
    machine: () => ({ clientId: 'nightly-import', secret: 'nightly-import-development-secret' }),
    person: () => ({ cookie, clientId: 'submissions-web', redirectUri }),
  }
}
