import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readSettings, SettingsError, settingsSchema } from '../../dist/settings.js'
import { cleanUp, secret, temporaryFolder } from '../harness/process.ts'
import { production, refused } from './settings-refused.ts'

afterAll(cleanUp)

describe('a setting that is wrong', () => {
  it.each(refused)('is refused in one line: %s', (_what, environment, names, cure) => {
    const line = reasonOf(() => readSettings({ ...production, ...environment }))
    expect(line).toMatch(names)
    expect(line).toMatch(cure)
    expect(line).toMatch(/^[^\n]*\.$/)
    expect(line).not.toContain('hunter2')
  })
})

describe('the address of the database out of a file', () => {
  const inFile = (content: string) => {
    const file = join(temporaryFolder(), 'database')
    writeFileSync(file, content)
    return { ...production, TESSERA_DATABASE_URL_FILE: file }
  }

  it('counts, without the end of its line', () => {
    const url = 'postgres://tessera:p%40ss%2Fword@db.acme.example/tessera'
    expect(readSettings(inFile(`${url}\n`)).databaseUrl).toBe(url)
  })

  it.each(['postgres://tessera:hunter2@x/y@db/tessera', 'mysql://tessera:hunter2@db/tessera', 'hunter2'])(
    'is refused by its name and shows no part of itself',
    (content) => {
      const line = reasonOf(() => readSettings(inFile(content)))
      expect(line).toMatch(/^TESSERA_DATABASE_URL_FILE (must be|holds)/)
      expect(line).not.toContain('hunter2')
    },
  )
})

/** The one line that a `SettingsError` says. */
function reasonOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  return 'It was accepted.'
}

describe('a setting that is right', () => {
  it('counts as unset when it is empty', () => {
    const names = Object.keys(settingsSchema.shape).filter((name) => !(name in production))
    const empty = Object.fromEntries(names.map((name) => [name, '']))
    expect(readSettings({ ...production, ...empty })).toEqual(readSettings(production))
  })

  it('has the documented defaults', () => {
    const { issuer: TESSERA_ISSUER, ...rest } = readSettings({
      TESSERA_ISSUER: production.TESSERA_ISSUER,
      TESSERA_SECRET: secret,
    })
    expect(TESSERA_ISSUER).toBe(production.TESSERA_ISSUER)
    expect(rest).toMatchObject({ mode: 'production', host: 'localhost', port: 4000, trustedProxies: [] })
    expect(rest.databaseUrl).toBe('sqlite:data/tessera.sqlite')
    expect(rest.lifetimes).toMatchObject({ accessToken: 900_000, code: 60_000 })
    expect(rest.lifetimes).toMatchObject({ refreshIdle: 14 * 86_400_000, refreshAbsolute: 30 * 86_400_000 })
    expect(rest.lifetimes).toMatchObject({ sessionIdle: 12 * 3_600_000, sessionAbsolute: 7 * 86_400_000 })
    expect(rest.limits).toMatchObject({ clientAuth: 30, authorize: 1200, grants: 1200 })
    expect(rest.logoutToPrivateAddresses).toBe(false)
  })

  it.each([
    'https://id.acme.example',
    'https://id.acme.example:8443',
    'http://localhost:4000',
    'http://[::1]:4000',
  ])('takes the issuer %s in production', (TESSERA_ISSUER) => {
    expect(readSettings({ ...production, TESSERA_ISSUER }).issuer).toBe(TESSERA_ISSUER)
  })

  it.each([
    'postgres://tessera:p%40ss%2Fw%3F%23%25,:;!$&=+@db.acme.example:5432/tessera',
    'postgres://tessera@db.acme.example/tessera?sslmode=verify-full',
    'postgres:///tessera?host=/var/run/postgresql&user=ada@acme.example',
    'postgres://[::1]:5432/tessera',
    'postgres://tessera:secret@[::1]:5432,db.acme.example/tessera',
    'postgres://%2Fvar%2Frun%2Fpostgresql/tessera',
    'sqlite:/var/lib/ada@acme/te#s?s%era.sqlite',
  ])('takes the address of a database %s', (TESSERA_DATABASE_URL) => {
    const { databaseUrl } = readSettings({ ...production, TESSERA_DATABASE_URL })
    expect(databaseUrl).toBe(TESSERA_DATABASE_URL)
  })

  it('takes the secret that came before out of a file as well', () => {
    const file = join(temporaryFolder(), 'previous')
    writeFileSync(file, 'what-was-the-secret-0123456789-abcdef\n')
    const settings = readSettings({ ...production, TESSERA_SECRET_PREVIOUS_FILE: file })
    expect(settings).toMatchObject({ secret, previousSecret: 'what-was-the-secret-0123456789-abcdef' })
    expect(readSettings(production).previousSecret).toBeUndefined()
  })

  it('takes lists of proxies, limits of 0 and a secret out of a file', () => {
    const file = join(temporaryFolder(), 'secret')
    writeFileSync(file, `${secret}\n`)
    const { TESSERA_SECRET: _, ...others } = production
    const settings = readSettings({
      ...others,
      TESSERA_SECRET_FILE: file,
      TESSERA_TRUSTED_PROXIES: ' 10.0.0.0/8 , ::1,',
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_DOCS_URL: 'https://docs.acme.example/tessera/',
    })
    expect(settings).toMatchObject({ secret, trustedProxies: ['10.0.0.0/8', '::1'] })
    expect(settings).toMatchObject({ limits: { grants: 0 }, docsUrl: 'https://docs.acme.example/tessera' })
  })
})
