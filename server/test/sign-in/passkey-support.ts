import { credentialsOf, keepCredential, userHandleOf } from '../../dist/store/credentials.js'
import { newId } from '../../dist/protocol/identifier.js'
import { userByEmail } from '../../dist/store/users.js'
import { Authenticator, type Deviations } from '../harness/authenticator.ts'
import { authorizeRequest, formOn, type TestBrowser, type Visit } from '../harness/browser.ts'
import { withStore } from '../harness/program.ts'

export type Owned = Authenticator & { user_uuid: string }

/** A person's new credential, as an enrolment of before made it. */
export async function credentialOf(
  tessera: { url: string; databaseUrl: string; clock: { now(): number } },
  { email }: { email: string },
  made: { kind?: 'passkey' | 'security_key'; backupEligible?: boolean; rpId?: string } = {},
): Promise<Owned> {
  const { kind = 'passkey', backupEligible = false, rpId = 'localhost' } = made
  const authenticator = new Authenticator(tessera.url, { backupEligible })
  return await withStore(tessera, async (store) => {
    const user = await store.read(userByEmail(email))
    const user_uuid = user?.uuid ?? ''
    authenticator.userHandle = await userHandleOf(store, user_uuid)
    const first = (await credentialsOf(store, user_uuid)).length === 0 ? [] : undefined
    const credential = {
      ...authenticator.kept(),
      id: newId(Date.now()),
      kind,
      name: 'A key',
      rpId,
      reach: null,
    }
    const proving = { user_uuid, now: tessera.clock.now(), by: {}, first }
    if (!(await store.write(() => keepCredential(store, credential, proving))))
      throw new Error('The credential was not added.')
    return Object.assign(authenticator, { user_uuid })
  })
}

/** What a page's script is given to ask the browser with; yields the form that it would send. */
export async function asked(browser: TestBrowser, page: Visit, purpose = 'sign_in') {
  const { csrf = '' } = formOn(page).hidden
  const from = /data-passkeys="([^"]*)"/.exec(page.body)?.[1]
  if (from === undefined) throw new Error(`There are no passkeys on ${page.url} (${page.status}).`)
  const answer = await browser.request(from, { form: { csrf, purpose }, headers: { accept: '*/*' } })
  const { challenge_id, options } = JSON.parse(answer.body) as {
    challenge_id: string
    options: { challenge: string; user?: { id: string } } & Record<string, unknown>
  }
  const form = (credential: string) => ({ choice: 'credential', purpose, challenge_id, credential })
  return { status: answer.status, options, form }
}

/** Signs in with a passkey alone: the first page after it. */
export async function byPasskey(
  browser: TestBrowser,
  authenticator: Authenticator,
  { deviations = {}, changes = {} }: { deviations?: Deviations; changes?: Record<string, string> } = {},
): Promise<Visit> {
  const page = await browser.open(authorizeRequest(changes).path)
  const { options, form } = await asked(browser, page)
  return await browser.submit(page, form(authenticator.get(options, deviations)))
}
