import type { AuditRecord } from '../../dist/audit/read.js'
import type { Dialect } from '../harness/databases.ts'
import { duringTests, startTessera, type Tessera } from '../harness/harness.ts'
import { machineToken } from '../harness/program.ts'
import { tokensFor } from '../harness/browser.ts'

export { administrators } from '../fixtures/administrators.ts'

/** What tests of the administration API share: who administers what, and requests as they make them. */

export const acme = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01'
export const intake = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02'
export const finance = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03'
export const globex = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01'
export const users = {
  importer: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
  both: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002',
  nobody: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0003',
  admin: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0004',
} as const
export const profiles = {
  importer: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101',
  bothReader: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201',
  bothBookkeeper: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0202',
  admin: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0401',
} as const

export const heads = {
  head: { email: 'head@acme.example', password: 'correct horse battery five' },
  unitHead: { email: 'unit-head@acme.example', password: 'correct horse battery six' },
} as const

export async function startAdministered(
  dialect: Dialect,
  settings: Record<string, string> = {},
): Promise<Tessera> {
  return await startTessera(dialect, { settings, content: 'administered' })
}

/** The same, while the tests of the describe block run. */
export const administeredOn = (dialect: Dialect, settings: Record<string, string> = {}): Tessera =>
  duringTests(() => startAdministered(dialect, settings))

export type MachineName = 'admin-cli' | 'acme-cli' | 'roles-cli' | 'onlooker-cli'

export async function tokenOf(url: string, clientId: MachineName): Promise<string> {
  return await machineToken(url, { client_id: clientId, client_secret: `${clientId}-development-secret` })
}

export interface AdminAnswer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
  etag: string
}

interface Sent {
  body?: unknown
  headers?: Record<string, string>
  /** Of If-Match. */
  match?: string
}

/** One administrator, who asks. */
export class Administrator {
  readonly #url: string
  readonly #token: string
  /** Most tests change what the reference file names. */
  overridesFile = true

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  static async machine(url: string, clientId: MachineName = 'admin-cli'): Promise<Administrator> {
    return new Administrator(url, await tokenOf(url, clientId))
  }

  /** A person, by the profile that they choose or have. */
  static async person(
    url: string,
    who: { email: string; password: string },
    profile?: string,
  ): Promise<Administrator> {
    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    const tokens = await tokensFor(url, who, { changes, ...(profile !== undefined && { profile }) })
    return new Administrator(url, tokens.access_token ?? '')
  }

  async ask(method: string, path: string, { body, headers, match }: Sent = {}): Promise<AdminAnswer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(`${this.#url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': type }),
        ...(match !== undefined && { 'if-match': match }),
        ...(this.overridesFile && { 'tessera-managed': 'override' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = text.startsWith('{') && /\bjson\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      etag: response.headers.get('etag') ?? '',
    }
  }

  get = async (path: string) => await this.ask('GET', path)
  post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    await this.ask('POST', path, { body, headers })
  delete = async (path: string, match?: string) =>
    await this.ask('DELETE', path, match === undefined ? {} : { match })

  /** Reads and changes, as a careful client does. */
  async patch(path: string, body: unknown): Promise<AdminAnswer> {
    const { etag } = await this.get(path)
    return await this.ask('PATCH', path, { body, match: etag })
  }

  /** All of a list, page by page. */
  async all(path: string, limit = 200): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = []
    for (let cursor = ''; ; ) {
      const separator = path.includes('?') ? '&' : '?'
      const { status, json, text } = await this.get(`${path}${separator}limit=${limit}${cursor}`)
      if (status !== 200) throw new Error(`No list but ${status}: ${text}`)
      items.push(...(json.items as Record<string, unknown>[]))
      if (json.next_cursor === null) return items
      cursor = `&cursor=${String(json.next_cursor)}`
    }
  }
}

/** A machine of acme that holds whatever anybody holds there, and nothing of the installation. */
export async function ownerOf(url: string, admin: Administrator): Promise<Administrator> {
  const { json: like } = await admin.get('/clients/acme-cli')
  const { json: made } = await admin.post('/clients', {
    client_id: 'acme-owner',
    client_name: 'Owner of Acme',
    type: 'machine',
    organisation_uuid: acme,
    services: ['iam', 'submissions-tool', 'ledger'],
    permissions: [...(like.permissions as string[]), 'ledger.entry.read'],
  })
  const secret = { client_id: 'acme-owner', client_secret: String(made.client_secret) }
  return new Administrator(url, await machineToken(url, secret))
}

/** The records of the audit, oldest first; about this target. */
export async function recordsWith(admin: Administrator, target = ''): Promise<AuditRecord[]> {
  const all = await admin.all(`/audit${target && `?target=${target}`}`)
  return (all as unknown as AuditRecord[]).toReversed()
}

/** Asserts the shape of a problem (RFC 9457); yields `status code`, and the fields that it names. */
export function problemOf(answer: AdminAnswer): string {
  const {
    type,
    title,
    status,
    detail,
    error,
    errors = [],
    permissions,
    max_age,
    digest,
    ...more
  } = answer.json
  const right =
    answer.headers.get('content-type') === 'application/problem+json; charset=utf-8' &&
    answer.headers.get('cache-control') === 'no-store' &&
    answer.headers.has('x-request-id') &&
    type === `urn:tessera:error:${String(error)}` &&
    typeof title === 'string' &&
    typeof detail === 'string' &&
    status === answer.status &&
    (permissions === undefined || Array.isArray(permissions)) &&
    (digest === undefined || error === 'plan_outdated') &&
    (max_age === undefined || error === 'insufficient_user_authentication') &&
    Object.keys(more).length === 0
  if (!right) throw new Error(`Not the shape of a problem: ${answer.status} ${answer.text}`)
  const fields = (errors as { field: string }[]).map((one) => one.field)
  return [answer.status, error, ...fields].join(' ')
}
