import { Administrator } from '../administration/support.ts'
import { type Answer, audiences, token } from '../harness/program.ts'

/** What tests of the exchange of tokens share: services that act for people at one another. */

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/** The services of the reference file, and those that `addServices` adds. */
export const audienceOf: Readonly<Record<string, string>> = {
  ...audiences,
  'submissions-tool': audiences.submissions,
  archive: 'https://archive.acme.example',
  vault: 'https://vault.acme.example',
  depot: 'https://depot.acme.example',
}

/** Adds archive, vault and depot, each with `<service>.files.read` and `<service>.files.write`, which readers get too. */
export async function addServices(admin: Administrator): Promise<void> {
  const added = ['archive', 'vault', 'depot']
  for (const code of added) {
    must(await admin.post('/services', { code, name: code, audience: audienceOf[code] }), 201)
    for (const action of ['read', 'write'])
      must(await admin.post('/permissions', { code: `${code}.files.${action}`, description: action }), 201)
  }
  const { json } = await admin.get('/roles/reader')
  const permissions = [
    ...(json.permissions as string[]),
    ...added.flatMap((one) => [`${one}.files.read`, `${one}.files.write`]),
  ]
  must(await admin.patch('/roles/reader', { permissions }), 200)
}

/** A client with its secret. */
export type Caller = Record<'client_id' | 'client_secret', string>

export const exchangerBody = (
  acts_as: string,
  services: readonly string[],
  permissions: readonly string[],
) => ({
  client_id: `${acts_as}-service`,
  client_name: `${acts_as} as a service`,
  type: 'machine',
  grant_types: [exchangeGrant],
  services: [],
  permissions: [],
  acts_as,
  exchange: { services, permissions },
})

/** Registers a machine that is a service, and may act for people at others. */
export async function addExchanger(
  admin: Administrator,
  body: ReturnType<typeof exchangerBody> & Record<string, unknown>,
): Promise<Caller> {
  const { json } = must(await admin.post('/clients', body), 201)
  return { client_id: body.client_id, client_secret: String(json.client_secret) }
}

export function must<A extends { status: number; text: string }>(answer: A, status: number): A {
  if (answer.status !== status) throw new Error(`Not ${status} but ${answer.status}: ${answer.text}`)
  return answer
}

/** Exchanges a token for one of another service; `changes` takes parameters out by undefined. */
export async function exchange(
  url: string,
  caller: Caller,
  subject: string | undefined,
  changes: Record<string, string | undefined> = {},
): Promise<Answer> {
  const form: Record<string, string | undefined> = {
    grant_type: exchangeGrant,
    subject_token: subject,
    subject_token_type: accessTokenType,
    resource: audienceOf['ledger'],
    ...caller,
    ...changes,
  }
  const sent = Object.entries(form).filter((one): one is [string, string] => one[1] !== undefined)
  return await token(url, Object.fromEntries(sent))
}
