/** What tests of SCIM share: a directory that asks, and what an administrator sees of its people. */
import { Administrator } from '../administration/support.ts'
import type { Tessera } from '../harness/harness.ts'
import { makeDirectory } from '../harness/states.ts'

export { acme, globex } from '../administration/support.ts'

export interface ScimAnswer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
  id: string
}

/** A directory that provisions, with one of its tokens. */
export class Directory {
  readonly #url: string
  readonly #token: string
  /** The name by which administrators know it. */
  uuid = ''

  constructor({ url }: Pick<Tessera, 'url'>, token: string) {
    this.#url = `${url}/scim/v2`
    this.#token = token
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ScimAnswer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    return { status: response.status, headers: response.headers, text, json, id: String(json.id) }
  }

  get = (path: string, headers?: Record<string, string>) => this.ask('GET', path, undefined, headers)
  post = (path: string, body: unknown) => this.ask('POST', path, body)
  put = (path: string, body: unknown) => this.ask('PUT', path, body)
  delete = (path: string) => this.ask('DELETE', path)
  patch = (path: string, ...Operations: object[]) => this.ask('PATCH', path, { Operations })

  /** The ids that a filter finds. */
  async found(path: string, filter: string): Promise<string[]> {
    const { json } = await this.get(`${path}?filter=${encodeURIComponent(filter)}`)
    return ((json.Resources ?? []) as { id: string }[]).map(({ id }) => id)
  }
}

export async function directoryIn(
  tessera: Tessera,
  what: Parameters<typeof makeDirectory>[1],
): Promise<Directory> {
  const made = await makeDirectory(tessera, what)
  const directory = new Directory(tessera, await made.token())
  directory.uuid = made.uuid
  return directory
}

let count = 0
/** A person as Okta sends one. */
export const person = (name: string, more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@new.example`,
  externalId: `x-${name}-${(count += 1)}`,
  name: { givenName: name, familyName: 'Doe' },
  displayName: `${name} Doe`,
  emails: [{ primary: true, type: 'work', value: `${name}@new.example` }],
  active: true,
  ...more,
})

interface SeenUser {
  uuid: string
  email: string
  name: string
  active: boolean
  has_password: boolean
  profiles: { role_code: string }[]
}

/** The account with a uuid, as an administrator sees it. */
export async function accountWith(tessera: Tessera, uuid: string | undefined): Promise<SeenUser> {
  const admin = await Administrator.machine(tessera.url)
  return (await admin.get(`/users/${uuid}`)).json as unknown as SeenUser
}

/** The account with an address, as an administrator sees it; undefined: there is none. */
export async function accountOf(tessera: Tessera, email: string): Promise<SeenUser | undefined> {
  const admin = await Administrator.machine(tessera.url)
  const { json } = await admin.get(`/users?q=${encodeURIComponent(email)}`)
  const user = (json.items as SeenUser[]).find((one) => one.email === email)
  if (user === undefined) return undefined
  const profiles = await admin.get(`/profiles?user_uuid=${user.uuid}`)
  return { ...user, profiles: profiles.json.items as SeenUser['profiles'] }
}
