/** PostgreSQL over TLS, as docs/operations.md says: libpq's names in the address, checked as verify-full. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { revokeToken } from '../../dist/store/revoked-tokens.js'
import { complaintsOf, runHere } from '../cli/command-support.ts'
import { type Certified, certify } from '../harness/certificates.ts'
import { startFilledPostgres } from '../harness/filled-postgres.ts'
import type { Home, Server } from '../harness/postgres.ts'
import { cleanUp, pause, secret, Serving, temporaryFolder } from '../harness/process.ts'
import { refusalOf, token } from '../harness/program.ts'
import { openStore } from '../harness/stores.ts'

let server: Server
let port = ''
let folder = ''
const file = (name: string) => join(folder, name)

function keep(name: string, { certificate, key }: Certified): void {
  writeFileSync(file(`${name}.crt`), certificate)
  writeFileSync(file(`${name}.key`), key)
}

/** `certified` must show a certificate; nobody is let in without TLS but the test itself. */
function withTls({ path, own }: Home): string[] {
  writeFileSync(join(path, 'hba'), 'hostssl all certified all cert\nhost all postgres all trust\n')
  for (const name of ['server.key', 'server.crt', 'authority.crt']) {
    writeFileSync(join(path, name), readFileSync(file(name)), { mode: 0o600 })
    own(join(path, name))
  }
  own(join(path, 'hba'))
  const files = { ssl_key_file: 'server.key', ssl_cert_file: 'server.crt', ssl_ca_file: 'authority.crt' }
  const settings = Object.entries({ ...files, hba_file: 'hba' }).map(
    ([key, name]) => `${key}=${join(path, name)}`,
  )
  return ['ssl=on', ...settings]
}

async function query<T extends object>(sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: `${server.url}/postgres` })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  folder = temporaryFolder()
  const authority = certify('An authority', { authority: true })
  keep('authority', authority)
  keep('stranger', certify('Another authority', { authority: true }))
  keep('server', certify('database', { host: 'localhost' }, authority))
  keep('client', certify('certified', {}, authority))
  server = await startFilledPostgres(withTls)
  port = new URL(server.url).port
  await query('create role certified login superuser')
})
afterAll(async () => {
  await server.stop()
  await cleanUp()
})

const address = (options: Record<string, string>, { user = 'postgres', host = 'localhost' } = {}) =>
  `postgres://${user}@${host}:${port}/postgres?${new URLSearchParams(options)}`

const encrypted = () =>
  query<{ usename: string; client_dn: string | null }>(
    `select distinct a.usename, s.client_dn from pg_stat_activity a join pg_stat_ssl s using (pid)
     where a.application_name = 'tessera' and s.ssl`,
  )

const serve = (url: string) =>
  Serving.start({ TESSERA_DATABASE_URL: url, TESSERA_SECRET: secret, TESSERA_LOG_LEVEL: 'silent' })

async function refusal(url: string): Promise<string> {
  const ran = await runHere(['migrate'], { environment: { TESSERA_DATABASE_URL: url } })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  return complaintsOf(ran)
    .filter((line) => line.startsWith('tessera: '))
    .join('\n')
}

describe('PostgreSQL over TLS', () => {
  it('serves by sslmode=verify-full and sslrootcert, on encrypted connections alone', async () => {
    const url = address({ sslmode: 'verify-full', sslrootcert: file('authority.crt') })
    const serving = await serve(url)
    // The database is asked for it.
    const stranger = await token(serving.url, { grant_type: 'client_credentials', client_id: 'nobody' })
    expect(refusalOf(stranger)).toBe('401 invalid_client')
    expect(await encrypted()).toEqual([{ usename: 'postgres', client_dn: null }])
    const plain = await query(
      "select pid from pg_stat_activity join pg_stat_ssl using (pid) where application_name = 'tessera' and not ssl",
    )
    expect(plain).toEqual([])
    expect(await serving.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('shows a client certificate by sslcert and sslkey', async () => {
    const shown = { sslcert: file('client.crt'), sslkey: file('client.key') }
    const checked = { sslmode: 'verify-full', sslrootcert: file('authority.crt') }
    const serving = await serve(address({ ...checked, ...shown }, { user: 'certified' }))
    expect(await encrypted()).toEqual([{ usename: 'certified', client_dn: '/CN=certified' }])
    await serving.stop('SIGKILL')
    expect(await refusal(address(checked, { user: 'certified' }))).toMatch(/client certificate/)
  })

  // The driver takes these three for verify-full; one that took them for less would let a stranger in.
  it.each(['verify-full', 'verify-ca', 'require'])(
    'refuses another authority: sslmode=%s',
    async (sslmode) => {
      const url = address({ sslmode, sslrootcert: file('stranger.crt') })
      expect(await refusal(url)).toMatch(/^tessera: .*TESSERA_DATABASE_URL \(.*certificate/)
    },
  )

  it('refuses a private authority that was not named', async () => {
    expect(await refusal(address({ sslmode: 'verify-full' }))).toMatch(/TESSERA_DATABASE_URL \(.*certificate/)
  })

  it('refuses a certificate of another name', async () => {
    const url = address({ sslmode: 'verify-full', sslrootcert: file('authority.crt') }, { host: '127.0.0.1' })
    expect(await refusal(url)).toMatch(/TESSERA_DATABASE_URL \(.*127\.0\.0\.1.*cert/)
  })

  it('refuses a file that is not there', async () => {
    const url = address({ sslmode: 'verify-full', sslrootcert: file('missing.crt') })
    expect(await refusal(url)).toMatch(/TESSERA_DATABASE_URL \(.*missing\.crt/)
  })
})

it('cancels over TLS what it gives up: a commit that waits for a standby', async () => {
  const certified = { sslmode: 'verify-full', sslrootcert: file('authority.crt') }
  const store = await openStore(address(certified))
  const revoke = (jti: string) => revokeToken(store, { jti, expiresAt: 1 }, { at: 1 })
  await query("alter system set synchronous_standby_names = 'nobody'")
  await query('select pg_reload_conf()')
  // The server takes the setting in a moment. What is not cancelled ends after eleven seconds, in another way.
  const commits = async () => {
    for (let tries = 0; tries < 400; tries++) await revoke(`try ${tries}`).then(() => pause(25))
  }
  await expect(commits()).rejects.toThrow('Commits wait for a synchronous standby')
  await query('alter system reset synchronous_standby_names')
  await query('select pg_reload_conf()')
  await vi.waitFor(() => revoke('later'), { timeout: 20_000 })
  await store.close()
})
