/** What people, machines and administrators do in an installation, over HTTP and by the command of whichever version runs. */
import { hashSync } from '@node-rs/argon2'
import { TOTP } from 'otpauth'
import { Administrator } from '../administration/support.ts'
import { answerOf, authorizeRequest, claimsOf } from '../harness/browser.ts'
import { machineToken, refresh, token, tokensOf, Visitor } from '../harness/program.ts'
import { addExchanger, exchange, exchangerBody, must } from '../oauth2/exchange-support.ts'
import { intranet, pushed } from '../oauth2/par-support.ts'

/** Where an installation is asked, and its command on its database, which yields standard output. */
export interface Place {
  url: string
  now: () => number
  command: (...line: string[]) => Promise<string>
}

type Form = Record<string, string>

/** A person with what is left in their hands. */
interface Somebody {
  email: string
  sub: string
  cookies: Form
  access: string
  refresh: string
}

/** What was made, as those remember it whom it was given to. It is JSON. */
export interface Life {
  name: string
  /** When all but what is `begun` was over, epoch ms. */
  at: number
  /** Her session and tokens count, and she has allowed a partner. */
  ann: Somebody
  /** Two tokens of one family: the first was refreshed. */
  rotated: { used: string; current: string }
  /** He has an authenticator app; the code was taken already. */
  tom: Somebody & { usedCode: string }
  /** She has signed out. */
  gone: Somebody
  /** He was disabled after he had signed in. */
  dan: Somebody
  usedCode: Form
  /** The path that a browser brought once. */
  usedPush: string
  robot: { client_id: string; client_secret: string; access: string }
  /** Signed by a key that is newer than that of the others. */
  rotatedKey: string
  exchanged: string
  webhook: { uuid: string; url: string; secret: string }
  invitation: { email: string; link: string }
  /** An application with a secret. */
  intranet: Form
}

/** What counts for a minute or two: a code, a pushed request, a device that waits. */
export interface Begun {
  code: Form
  push: { path: string; verifier: string; proof: Form }
  device: { client_id: string; device_code: string; user_code: string }
}

export const password = 'a password of nine lives'
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const terminal = {
  ...{ client_name: 'Terminal', type: 'public', first_party: true },
  ...{ grant_types: [deviceGrant, 'refresh_token'], scope: 'openid profile', services: [] },
}
export const partner = {
  client_id: 'partner-portal',
  redirect_uri: 'https://partner.example/callback?tenant=1',
  scope: 'openid profile',
}
export const totpCode = ({ now }: Place): string =>
  new TOTP({ secret: totpSecret }).generate({ timestamp: now() })

/** Lives once on `fixtures/administrators.ts`; another life there has another name. */
export async function live(place: Place, name: string): Promise<Life> {
  const { url } = place
  const admin = await Administrator.machine(url)
  const emailOf = (who: string) => `${name}-${who}@acme.example`
  await importPeople(admin, ['ann', 'tom', 'gone', 'dan'].map(emailOf))
  const person = (who: string) => new Visitor(url, { email: emailOf(who), password })
  const [ann, gone, dan] = [person('ann'), person('gone'), person('dan')]
  const [annHas, goneHas, danHas] = [await having(ann), await having(gone), await having(dan)]
  const { refresh_token: used = '' } = await ann.tokens()
  const { refresh_token: current = '' } = tokensOf(await refresh(url, used))
  const asked = await ann.browser.open(authorizeRequest(partner).path)
  answerOf(await ann.browser.submit(asked, { choice: 'allow' }))
  await gone.browser.open(`/oauth2/logout?${new URLSearchParams(leaving)}`)
  must(await admin.patch(`/users/${danHas.sub}`, { active: false }), 200)
  const usedCode = await ann.code()
  tokensOf(await token(url, usedCode))
  const tomHas = await provingTwice(place, emailOf('tom'))

  const web = { ...intranet, client_id: `${name}-intranet` }
  const proof = await registered(admin, web)
  const push = await pushed(url, { client_id: proof.client_id }, proof)
  answerOf(await ann.browser.open(push.path))
  const robot = await registered(admin, {
    ...{ client_id: `${name}-robot`, client_name: 'Robot', type: 'machine' },
    ...{ services: ['ledger'], permissions: ['ledger.entry.read'] },
  })
  must(await admin.post('/clients', { ...terminal, client_id: `${name}-terminal` }), 201)
  const access = await machineToken(url, robot)
  const exchanger = exchangerBody('submissions-tool', ['ledger'], ['ledger.entry.read'])
  const caller = await addExchanger(admin, { ...exchanger, client_id: `${name}-exchanger` })
  const exchanged = tokensOf(await exchange(url, caller, annHas.access)).access_token ?? ''
  await place.command('keys', 'rotate', '--now')
  const hook = { url: `https://hooks.acme.example/${name}`, kinds: ['webhook.removed'] }
  const { uuid, secret } = must(await admin.post('/webhooks', hook), 201).json
  const email = emailOf('invited')
  const invited = await place.command('invitation', 'create', email, '--profile', 'reader@acme')
  return {
    ...{ name, ann: { ...annHas, cookies: cookiesOf(ann) }, gone: goneHas, dan: danHas, tom: tomHas },
    ...{ rotated: { used, current }, usedCode, usedPush: push.path, exchanged, intranet: proof },
    ...{ robot: { ...robot, access }, rotatedKey: await newlySigned(url, access, robot) },
    webhook: { uuid: String(uuid), url: hook.url, secret: String(secret) },
    invitation: { email, link: linkIn(invited) },
    at: place.now(),
  }
}

/** Begins what is to be finished soon, perhaps at another process. */
export async function begin({ url }: Place, life: Life): Promise<Begun> {
  const ann = new Visitor(url, { email: life.ann.email, password })
  const client_id = `${life.name}-terminal`
  const asked = await fetch(`${url}/oauth2/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams({ client_id, scope: 'openid profile' }),
  })
  const { device_code, user_code } = (await asked.json()) as Begun['device']
  const proof = life.intranet
  const { path, verifier } = await pushed(url, { client_id: proof.client_id }, proof)
  return {
    code: await ann.code(),
    push: { path, verifier, proof },
    device: { client_id, device_code, user_code },
  }
}

const leaving = { client_id: 'submissions-web', post_logout_redirect_uri: 'http://127.0.0.1:4001/' }
const cookiesOf = ({ browser }: Visitor): Form => Object.fromEntries(browser.cookies)
const linkIn = (text: string): string => /https?:\/\/\S+\/(invitation\?link=[\w-]{43})/.exec(text)?.[1] ?? ''

async function having(visitor: Visitor, tokens?: Form): Promise<Somebody> {
  const { access_token = '', refresh_token = '', id_token } = tokens ?? (await visitor.tokens())
  const { sub, email } = claimsOf(id_token)
  const [who, address] = [String(sub), String(email)]
  return {
    email: address,
    sub: who,
    cookies: cookiesOf(visitor),
    access: access_token,
    refresh: refresh_token,
  }
}

/** Hashes that take the least work allowed: the first sign-in replaces them. */
async function importPeople(admin: Administrator, emails: readonly string[]): Promise<void> {
  const password_hash = hashSync(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const rows = emails.map((email) => ({
    ...{ email, name: email, password_hash, email_verified: true },
    ...(email.includes('-tom@') && { totp_secret: totpSecret }),
    profiles: [{ role: 'reader', organisation: 'acme' }],
  }))
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  must(await admin.post('/imports', { name: 'people.jsonl', text }), 200)
}

/** Signs in with the app beside the password. */
async function provingTwice(place: Place, email: string): Promise<Life['tom']> {
  const visitor = new Visitor(place.url, { email, password })
  const request = authorizeRequest()
  const page = await visitor.browser.submit(await visitor.browser.open(request.path), { email, password })
  const usedCode = totpCode(place)
  const { code = '' } = answerOf(await visitor.browser.submit(page, { code: usedCode }))
  const { client_id = '', redirect_uri = '' } = request.parameters
  const form = { grant_type: 'authorization_code', client_id, redirect_uri, code }
  const tokens = tokensOf(await token(place.url, { ...form, code_verifier: request.verifier }))
  return { ...(await having(visitor, tokens)), usedCode }
}

async function registered(
  admin: Administrator,
  client: { client_id: string },
): Promise<Record<'client_id' | 'client_secret', string>> {
  const { client_secret } = must(await admin.post('/clients', client), 201).json
  return { client_id: client.client_id, client_secret: String(client_secret) }
}

/** A token by another key than an earlier one: processes hear of a rotation within seconds. */
async function newlySigned(url: string, earlier: string, robot: Form): Promise<string> {
  const keyOf = (jwt: string) => (JSON.parse(atob(jwt.split('.')[0] ?? '')) as { kid: string }).kid
  for (let tries = 0; tries < 300; tries++) {
    const access = await machineToken(url, robot)
    if (keyOf(access) !== keyOf(earlier)) return access
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The new key does not sign.')
}
