import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { afterAll, beforeEach, describe, expect, it, inject } from 'vitest'
import { hashOf } from '../../dist/audit/chain.js'
import { recordAll } from '../../dist/audit/record.js'
import type { AuditKind } from '../../dist/protocol/audit-kinds.js'
import type { AuditRecordRow } from '../../dist/database/schema-audit.js'
import { answerOf, authorizeRequest, people } from '../harness/browser.ts'
import { complaintsOf, type Ran, runHere, type Runs } from '../cli/command-support.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { laterVersion } from '../database/later-version.ts'
import { cleanUp, run, secret, temporaryFolder, withSecret } from '../harness/process.ts'
import {
  introspect,
  machineToken,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
  withStore,
} from '../harness/program.ts'

const { DatabaseSync } = createRequire(new URL('../../dist/database/open.js', import.meta.url))(
  '@photostructure/sqlite',
) as typeof import('@photostructure/sqlite')

afterAll(cleanUp)

const launcher = fileURLToPath(new URL('../../bin/tessera.cjs', import.meta.url))

/** Works on a file without the service. */
function inFile<T>(path: string, work: (database: DatabaseSyncInstance) => T): T {
  const connection = new DatabaseSync(path)
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}
const rowsIn = (path: string, sql: string) =>
  inFile(path, (connection) => connection.prepare(sql).all()) as object[]

describe('tessera backup and restore', () => {
  let tessera: Tessera
  let file: string
  beforeEach(async () => {
    tessera = await startTessera('sqlite')
    file = join(temporaryFolder(), 'monday.sqlite')
    return () => tessera.close()
  })

  const tesseraCommand = (commandLine: string[], databaseUrl = tessera.databaseUrl, how: Runs = runHere) =>
    how(commandLine, { environment: { TESSERA_DATABASE_URL: databaseUrl } })
  /** By a process of its own where others work on the database meanwhile. */
  const backUp = async (how?: Runs) => {
    const done = await tesseraCommand(['backup', file], tessera.databaseUrl, how)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    return done
  }
  const restore = (how?: Runs) => tesseraCommand(['restore', file, '--yes'], tessera.databaseUrl, how)
  const path = () => tessera.databaseUrl.slice('sqlite:'.length)
  const content = () => rowsIn(path(), 'select uuid, email_key, password_hash from users order by uuid')
  const auditOf = (from: string) =>
    rowsIn(from, 'select * from audit_records order by sequence') as AuditRecordRow[]
  const note = async (kinds: string | string[], to = path()) =>
    await withStore({ databaseUrl: `sqlite:${to}` }, (store) =>
      recordAll(
        store,
        [kinds].flat().map((kind) => ({ at: 1, kind: kind as AuditKind })),
      ),
    )
  function expectChain(rows: AuditRecordRow[]) {
    for (const [index, row] of rows.entries()) {
      expect(row).toMatchObject({ sequence: index + 1, hash: hashOf(row) })
      expect(row.previous).toBe(rows[index - 1]?.hash ?? '0'.repeat(64))
    }
  }
  async function refused(done: Promise<Ran>, why: RegExp) {
    const ran = await done
    const complaints = complaintsOf(ran)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(complaints).toEqual([expect.stringMatching(why)])
    expect(complaints[0]).not.toMatch(/\n\s+at /)
  }

  it('makes one file for its owner alone, whole, while people sign in and machines ask', async () => {
    const visitor = new Visitor(tessera.url)
    let latest = (await visitor.tokens()).refresh_token
    let stopping = false
    let written = 0
    const writing = (async () => {
      for (; !stopping; written++) latest = tokensOf(await refresh(tessera.url, latest)).refresh_token
    })()
    const { stdout } = await backUp(run)
    stopping = true
    await writing
    expect(written).toBeGreaterThan(0)
    expect(stdout).toMatch(/TESSERA_SECRET/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // One file is all of it.
    for (const other of ['-wal', '-shm', '-journal']) expect(existsSync(`${file}${other}`)).toBe(false)
    expect(rowsIn(file, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(rowsIn(file, 'select uuid, email_key, password_hash from users order by uuid')).toEqual(content())
    // A service starts on it as on any other.
    const { databaseUrl } = tessera
    const copy = join(temporaryFolder(), 'copy.sqlite')
    copyFileSync(file, copy)
    expect(await tesseraCommand(['migrate'], `sqlite:${copy}`)).toMatchObject({ code: 0, stderr: '' })
    expect(tessera.databaseUrl).toBe(databaseUrl)
  })

  it('refuses to make one over a file, in no folder, of no database and of PostgreSQL', async () => {
    writeFileSync(file, 'something of value')
    await refused(tesseraCommand(['backup', file]), /exists already/)
    expect(readFileSync(file, 'utf8')).toBe('something of value')
    await refused(
      tesseraCommand(['backup', join(file, 'in/no/folder')]),
      /There is no such file or folder: check/,
    )
    const nowhere = join(temporaryFolder(), 'none.sqlite')
    await refused(tesseraCommand(['backup', `${file}.2`], `sqlite:${nowhere}`), /There is no database/)
    expect(existsSync(nowhere)).toBe(false)
    const postgres = `${inject('postgresUrl')}/postgres`
    await refused(tesseraCommand(['backup', `${file}.3`], postgres), /PostgreSQL has its own/)
    for (const other of ['.2', '.3']) expect(existsSync(`${file}${other}`)).toBe(false)
  })

  it('leaves nothing and says what to do when the disk is full, or when it is killed, and the service goes on', async () => {
    const visitor = new Visitor(tessera.url)
    const { refresh_token: refreshToken } = await visitor.tokens()
    const limited = (bytes: number, ...commandLine: string[]) =>
      spawnSync('prlimit', [`--fsize=${bytes}`, process.execPath, launcher, ...commandLine], {
        env: { PATH: process.env.PATH, ...withSecret({ TESSERA_DATABASE_URL: tessera.databaseUrl }) },
        encoding: 'utf8',
      })
    for (const bytes of [4096, 200_000]) {
      const { status, stdout, stderr } = limited(bytes, 'backup', file)
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^tessera: The backup could not be written: make room .* \(.+\)\.\n$/)
      expect(readdirSync(dirname(file))).toEqual([])
    }
    // What a killed one leaves does not look like a backup, and is told of.
    writeFileSync(`${file}.partial`, 'a part')
    await refused(tesseraCommand(['backup', file]), /partial is there.*remove it/)
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe('a part')
    rmSync(`${file}.partial`)
    expect(tokensOf(await refresh(tessera.url, refreshToken))).toHaveProperty('refresh_token')
    expect(auditOf(path()).filter(({ kind }) => kind === 'database.backed_up')).toEqual([])
    await backUp()
    // Nor is anything half restored.
    const before = content()
    const restored = limited(200_000, 'restore', file, '--yes')
    expect([restored.status, restored.stdout]).toEqual([1, ''])
    expect(restored.stderr).toMatch(/^tessera: .*disk I\/O error.*\n$/)
    expect(content()).toEqual(before)
    expect(auditOf(path()).filter(({ kind }) => kind === 'database.restored')).toEqual([])
    expect((await refresh(tessera.url, refreshToken)).status).toBe(200)
  })

  it('puts back what people and clients were, while it serves, and goes on serving', async () => {
    const revision = () => rowsIn(path(), 'select name, value from revisions')
    const backedUp = revision()
    await backUp()
    const before = content()
    inFile(path(), (connection) => {
      connection.exec("update users set password_hash = null, name = 'Changed'")
      connection.exec("delete from clients where client_id = 'nightly-import'")
      connection.exec('update revisions set value = value + 1')
    })
    expect(
      refusalOf(
        await token(tessera.url, {
          grant_type: 'client_credentials',
          client_id: 'nightly-import',
          client_secret: 'nightly-import-development-secret',
        }),
      ),
    ).toBe('401 invalid_client')
    const changed = revision()
    const asking = Promise.all(
      Array.from({ length: 20 }, async () => (await fetch(`${tessera.url}/health/ready`)).status),
    )
    const done = await restore(run)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(new Set(await asking)).toEqual(new Set([200]))
    expect(content()).toEqual(before)
    // Neither this nor another change after the restore may look like one before it.
    expect([...changed, ...backedUp]).not.toContainEqual(revision()[0])
    expect(await machineToken(tessera.url)).toMatch(/^ey/)
    expect(
      answerOf(await new Visitor(tessera.url).browser.open(authorizeRequest({ prompt: 'none' }).path)),
    ).toMatchObject({ error: 'login_required' })
    expect(tokensOf(await token(tessera.url, await new Visitor(tessera.url).code()))).toHaveProperty(
      'refresh_token',
    )
    expect(rowsIn(path(), 'pragma foreign_key_check')).toEqual([])
    expect(rowsIn(path(), 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  it('brings back no session, code, refresh token or token of a machine: neither rotated, nor revoked, nor current ones', async () => {
    const early = new Visitor(tessera.url)
    const rotated = await early.tokens()
    const untouched = await early.tokens()
    const revoked = await new Visitor(tessera.url, people.admin).tokens()
    const code = await early.code()
    const begun = await new Visitor(tessera.url).browser.open(authorizeRequest().path)
    const machines = [await machineToken(tessera.url)]
    await backUp()
    machines.push(await machineToken(tessera.url))
    const successor = tokensOf(await refresh(tessera.url, rotated.refresh_token))
    const form = { client_id: 'submissions-web', token: revoked.refresh_token ?? '' }
    await fetch(`${tessera.url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams(form) })
    const late = new Visitor(tessera.url)
    const lateTokens = await late.tokens()

    expect(await restore()).toMatchObject({ code: 0 })
    for (const each of [rotated, untouched, revoked, successor, lateTokens]) {
      expect(refusalOf(await refresh(tessera.url, each.refresh_token))).toBe('400 invalid_grant')
      expect((await userinfo(tessera.url, each.access_token)).status).toBe(401)
      expect(await introspect(tessera.url, each.access_token)).toEqual({ active: false })
    }
    for (const each of machines) expect((await userinfo(tessera.url, each)).status).toBe(401)
    expect((await userinfo(tessera.url, await machineToken(tessera.url))).status).toBe(403)
    expect(refusalOf(await token(tessera.url, code))).toBe('400 invalid_grant')
    for (const { browser } of [early, late]) {
      const silent = await browser.open(authorizeRequest({ prompt: 'none' }).path)
      expect(answerOf(silent)).toMatchObject({ error: 'login_required' })
    }
    expect((await new Visitor(tessera.url).browser.open(begun.url)).status).toBe(400)
  })

  it('forgets no logout that a client has still to be told of', async () => {
    const notice = (id: string) =>
      inFile(path(), (connection) =>
        connection
          .prepare('insert into logout_notices values (?, ?, ?, ?, ?, 0, ?, 1)')
          .run(
            id,
            'submissions-web',
            'https://submissions.acme.example/',
            'sub',
            'sid',
            Number.MAX_SAFE_INTEGER,
          ),
      )
    notice('before')
    await backUp()
    notice('since')
    expect(await restore()).toMatchObject({ code: 0 })
    const left = rowsIn(path(), 'select id from logout_notices order by id')
    expect(left).toEqual([{ id: 'before' }, { id: 'since' }])
  })

  it('makes and reads one by a name that SQLite would take for an address', async () => {
    const cwd = temporaryFolder()
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
    expect(await run(['backup', 'file:monday'], { cwd, environment })).toMatchObject({ code: 0 })
    expect(readdirSync(cwd)).toEqual(['file:monday'])
    expect(statSync(join(cwd, 'file:monday')).mode & 0o777).toBe(0o600)
    const restored = run(['restore', 'file:monday', '--yes'], { cwd, environment })
    expect(await restored).toMatchObject({ code: 0 })
  })

  it('keeps the keys and the audit records of both, and adds that it was restored', async () => {
    const kids = () => rowsIn(path(), 'select kid from signing_keys order by signs_from')
    await note('before')
    await backUp()
    await note('after')
    const environment = {
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_MODE: 'development',
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    }
    expect(await runHere(['keys', 'rotate'], { environment })).toMatchObject({ code: 0 })
    expect(await runHere(['migrate'], { environment })).toMatchObject({ code: 0 })
    const [all, had] = [kids(), auditOf(path())]
    expect(all).toHaveLength(4)
    expect(had.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['before', 'after']))
    expect(await restore()).toMatchObject({ code: 0 })
    expect(kids()).toEqual(all)
    const [last, ...others] = auditOf(path()).reverse()
    expect(others.reverse()).toEqual(had)
    expect(last).toMatchObject({
      kind: 'database.restored',
      actor_kind: 'command',
      previous: had.at(-1)?.hash,
    })
    expect(last?.actor_id).toMatch(/.@./)
  })

  it('loses no audit record of the backup in a database that was begun anew', async () => {
    await note(Array.from({ length: 1200 }, (_, number) => `old ${number}`))
    await backUp()
    const fresh = join(temporaryFolder(), 'fresh.sqlite')
    await note('new', fresh)
    const had = auditOf(fresh)
    expect(had).toMatchObject([{ kind: 'new' }])
    const restoreFresh = () => tesseraCommand(['restore', file, '--yes'], `sqlite:${fresh}`)
    expect(await restoreFresh()).toMatchObject({ code: 0 })
    const all = auditOf(fresh)
    const kinds = (rows: AuditRecordRow[]) => rows.map(({ kind }) => kind)
    expect(kinds(all)).toEqual(['new', ...kinds(auditOf(file)), 'database.restored'])
    expect(all[0]).toEqual(had[0])
    expectChain(all)
    // Restored twice, nothing is doubled.
    expect(await restoreFresh()).toMatchObject({ code: 0 })
    expect(kinds(auditOf(fresh))).toEqual([...kinds(all), 'database.restored'])
    expectChain(auditOf(fresh))
  })

  it('under another secret keeps what the backup holds, and is whole by the secret that there is', async () => {
    const next = 'another-secret-of-the-tests-0123456789'
    await backUp()
    const into = async (name: string, environment: Record<string, string>) => {
      const fresh = join(temporaryFolder(), `${name}.sqlite`)
      const settings = { TESSERA_DATABASE_URL: `sqlite:${fresh}`, ...environment }
      const restored = await runHere(['restore', file, '--yes'], { environment: settings })
      expect(restored).toMatchObject({ code: 0, stderr: '' })
      const { verdict } = await verified(settings)
      expect(verdict).toMatchObject({ code: 0, stderr: '' })
      const [last, ...others] = auditOf(fresh).reverse()
      expect(last).toMatchObject({ kind: 'database.restored' })
      return { fresh, others: others.reverse(), settings }
    }
    const verified = async (environment: Record<string, string>) => ({
      verdict: await runHere(['audit', 'verify'], { environment }),
    })
    const had = auditOf(file)
    // The secret of the backup is known: its key goes on, and is encrypted anew with all the rest.
    const changing = { TESSERA_SECRET: next, TESSERA_SECRET_PREVIOUS: secret, TESSERA_MODE: 'development' }
    const known = await into('known', changing)
    expect(known.others).toEqual(had)
    expect(await runHere(['keys', 'reencrypt'], { environment: known.settings })).toMatchObject({ code: 0 })
    const alone = { ...known.settings, TESSERA_SECRET_PREVIOUS: '' }
    expect((await verified(alone)).verdict).toMatchObject({ code: 0 })
    // It is not: the records are marked anew, by the key of the database.
    const unknown = await into('unknown', { TESSERA_SECRET: next })
    const unmarked = (rows: AuditRecordRow[]) => rows.map((row) => ({ ...row, mac: null }))
    expect(unmarked(unknown.others)).toEqual(unmarked(had))
    expect(unknown.others[0]?.mac).not.toBe(had[0]?.mac)
    expect((await verified({ ...unknown.settings, TESSERA_SECRET: secret })).verdict).toMatchObject({
      code: 3,
    })
  })

  it('makes none, and restores none, without the secret or by a wrong one', async () => {
    await backUp()
    const before = auditOf(path())
    for (const wrong of ['', 'another-secret-of-the-tests-0123456789']) {
      const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_SECRET: wrong }
      const why = wrong === '' ? /TESSERA_SECRET is missing/ : /another secret\. Set TESSERA_SECRET/
      await refused(runHere(['backup', `${file}.other`], { environment }), why)
      await refused(runHere(['restore', file, '--yes'], { environment }), why)
      expect(readdirSync(dirname(file))).toEqual(['monday.sqlite'])
    }
    expect(auditOf(path())).toEqual(before)
  })

  it('restores into a database that is not there yet', async () => {
    await backUp()
    const fresh = join(temporaryFolder(), 'fresh.sqlite')
    expect(await tesseraCommand(['restore', file, '--yes'], `sqlite:${fresh}`)).toMatchObject({ code: 0 })
    expect(statSync(fresh).mode & 0o777).toBe(0o600)
    const users = 'select uuid, email_key, password_hash from users order by uuid'
    expect(rowsIn(fresh, users)).toEqual(content())
    // The chain goes on where the backup's ended.
    const [last, ...others] = auditOf(fresh).reverse()
    expect(others.reverse()).toEqual(auditOf(file))
    expect(last).toMatchObject({ kind: 'database.restored' })
    expectChain(auditOf(fresh))
  })

  it('refuses what is no backup, of another version, itself, and to do it without --yes, and changes nothing', async () => {
    await backUp()
    inFile(path(), (connection) => connection.exec("update users set name = 'Later'"))
    const all = () => rowsIn(path(), 'select * from users')
    const before = all()
    await refused(tesseraCommand(['restore', `${file}.none`, '--yes']), /There is no backup/)
    expect(existsSync(`${file}.none`)).toBe(false)
    writeFileSync(`${file}.text`, 'This is no database.'.repeat(500))
    await refused(tesseraCommand(['restore', `${file}.text`, '--yes']), /is not a backup/)
    writeFileSync(`${file}.empty`, '')
    await refused(tesseraCommand(['restore', `${file}.empty`, '--yes']), /is not a backup/)
    await refused(tesseraCommand(['restore', path(), '--yes']), /is the database itself|is not a backup/)
    const without = await tesseraCommand(['restore', file])
    expect(without.code).toBe(1)
    expect(without.stderr).toMatch(/--yes/)
    await refused(
      tesseraCommand(['restore', file, '--yes'], `${inject('postgresUrl')}/postgres`),
      /PostgreSQL has its own/,
    )
    inFile(file, (connection) => {
      connection.exec(
        "insert into kysely_migration (name, timestamp) values ('9999-additive-later', 'later')",
      )
    })
    await refused(tesseraCommand(['restore', file, '--yes']), /made by a newer version/)
    expect(all()).toEqual(before)
    // Nine commands, each a process.
  })

  it('takes one of an older version when it was upgraded', async () => {
    await backUp()
    const [command, before] = [laterVersion('additive'), content()]
    const later = (commandLine: string[], databaseUrl = tessera.databaseUrl) =>
      run(commandLine, { environment: { TESSERA_DATABASE_URL: databaseUrl }, command })
    expect(await later(['migrate'])).toMatchObject({ code: 0, stderr: '' })
    inFile(path(), (connection) => connection.exec("update users set name = 'Later'"))
    await refused(later(['restore', file, '--yes']), /made by an older version .* tessera migrate/)
    expect(await later(['migrate'], `sqlite:${file}`)).toMatchObject({ code: 0, stderr: '' })
    expect(await later(['restore', file, '--yes'])).toMatchObject({ code: 0, stderr: '' })
    expect(content()).toEqual(before)
    expectChain(auditOf(path()))
  })
})
