import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administeredOn, Administrator } from '../administration/support.ts'
import { type Ran, runHere } from '../cli/command-support.ts'
import { formOn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { mailTo, shownTo } from '../harness/development-mail.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { auditOf, setPolicy } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

/** What becomes another beside what a declared file says: it is told and recorded as the API does. */

shortenTimers({ 500: 50 })
afterAll(cleanUp)

const password = 'a password of nine lives'
const addressOf = (name: string) => `${name}@leaving.example`
const stays = { active: true, at: null }
const isDisabled = { active: false, at: null }

onEachDatabase('who waits for their removal', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await setPolicy(tessera, {}, { self_deletion: true })
  })

  /** Somebody who asks for it; yields their uuid, and when they go. */
  async function leave(name: string): Promise<{ uuid: string; at: string }> {
    const email = addressOf(name)
    const made = await admin.post('/users', { email, name, password })
    expect(made.status).toBe(201)
    const browser = new TestBrowser(tessera.url)
    await browser.submit(await browser.open('/account'), { email, password })
    const page = await browser.open('/account/deletion')
    const { csrf = '' } = formOn(page).hidden
    const left = await browser.request(page.url, { form: { csrf, do: 'request' } })
    expect(left.body).toContain('Your account is to be deleted')
    const { at } = await stateOf(name)
    return { uuid: String(made.json.uuid), at: String(at) }
  }
  async function stateOf(name: string): Promise<{ active: unknown; at: unknown }> {
    const [found] = await admin.all(`/users?q=${addressOf(name)}`)
    return { active: found?.active, at: found?.deletion_at }
  }
  const undone = (uuid: string) => auditOf(tessera, { kind: 'deletion.undone', user: uuid })
  const changed = (uuid: string) => auditOf(tessera, { kind: 'user.changed', user: uuid })

  type Line = [name: string, ...more: string[]]
  const textOf = (...people: Line[]) => {
    const lines = people.map(([name, ...more]) => [`  - email: ${addressOf(name)}`, `name: ${name}`, ...more])
    return `users:\n${lines.map((one) => one.join('\n    ')).join('\n')}\n`
  }
  async function command(name: 'plan' | 'apply', text: string, ...options: string[]): Promise<Ran> {
    const file = join(temporaryFolder(), 'people.yaml')
    writeFileSync(file, text)
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
    return await runHere([name, file, ...options], { environment })
  }
  const byCommand = async (...line: string[]) =>
    await runHere(line, { environment: { TESSERA_DATABASE_URL: tessera.databaseUrl } })

  it.each<[name: string, active: boolean, now: object]>([
    ['kept', true, stays],
    ['disabled', false, isDisabled],
  ])(
    'is %s by a file with active: %s, which says and records what the API does',
    async (name, active, now) => {
      const { uuid, at } = await leave(name)
      const text = textOf([name, `active: ${active}`])
      const asked = await stateOf(name)
      const planned = await command('plan', text)
      expect(planned).toMatchObject({ code: 2, stderr: '' })
      expect(planned.stdout).toContain(
        `  ~ ${addressOf(name)}\n${active ? '      active: false -> true\n' : ''}      deletion_at: "${at}" -> (none), so they are not removed\n`,
      )
      const { changes } = JSON.parse((await command('plan', text, '--json')).stdout) as {
        changes: { id: string; fields: object[] }[]
      }
      expect(changes.find((one) => one.id === addressOf(name))?.fields).toContainEqual({
        field: 'deletion_at',
        before: at,
        after: null,
      })
      // A plan undoes nothing.
      expect([await stateOf(name), await undone(uuid)]).toEqual([asked, []])

      expect((await command('apply', text, '--yes')).stdout).toContain(`deletion_at: "${at}"`)
      expect(await stateOf(name)).toEqual(now)
      const other = await leave(`${name}-by-api`)
      expect((await admin.patch(`/users/${other.uuid}`, { active })).status).toBe(200)
      expect(await stateOf(`${name}-by-api`)).toEqual(now)
      const [byFile, byApi] = await Promise.all([undone(uuid), undone(other.uuid)])
      expect([byFile.length, byApi.length]).toEqual([1, 1])
      const factsOf = (records: typeof byFile) =>
        records.map(({ target, user_uuid: user, after, detail }) => ({ target, user, after, detail }))
      const target = { kind: 'user', id: other.uuid }
      expect(factsOf(byApi)).toMatchObject([{ target, user: other.uuid }])
      const detail = { declared_file: 'people.yaml' }
      expect(factsOf(byFile)).toEqual(
        factsOf(byApi).map((one) => ({ ...one, target: { ...target, id: uuid }, user: uuid, detail })),
      )
      expect(byFile[0]?.actor.kind).toBe('command')
      for (const one of [uuid, other.uuid])
        expect((await changed(one)).at(-1)).toMatchObject({
          before: { deletion_at: expect.any(String), ...(active && { active: false }) },
          after: { deletion_at: null, ...(active && { active: true }) },
        })

      const signsIn = async (who: string) => {
        const browser = new TestBrowser(tessera.url)
        const visit = await browser.submit(await browser.open('/account'), {
          email: addressOf(who),
          password,
        })
        return [visit.status, new URL(visit.url).pathname]
      }
      expect(await signsIn(name)).toEqual(active ? [200, '/account'] : [400, '/sign-in'])
      expect(await command('plan', text)).toMatchObject({ code: 0, stderr: '' })
      await command('apply', text, '--yes')
      expect(await undone(uuid)).toHaveLength(1)
    },
  )

  it('is told by mail that they stay, and who is disabled by the same file is told nothing', async () => {
    await leave('silent')
    await leave('told')
    const text = textOf(['silent', 'active: false'], ['told'])
    expect((await command('apply', text, '--yes')).code).toBe(0)
    // Notices are written in the order of the records, in which the first of the file comes first.
    await mailTo(tessera, addressOf('told'), 'Your account stays')
    const subjects = (await shownTo(tessera, addressOf('silent'))).map(({ subject }) => subject)
    expect(subjects.filter((one) => one.includes('stays'))).toEqual([])
  })

  once.it('goes on waiting where a file is refused, does not name them, or is only looked at', async () => {
    const { uuid } = await leave('waiting')
    const asked = await stateOf('waiting')
    const wrong = textOf(['waiting', 'uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6fffff'])
    for (const [text, ...options] of [
      [wrong, '--yes'],
      [textOf(['somebody']), '--yes'],
      [textOf(['somebody']), '--prune', '--yes'],
    ] as const) {
      await command('plan', text)
      await command('apply', text, ...options)
      expect(await stateOf('waiting')).toEqual(asked)
    }
    expect(await undone(uuid)).toEqual([])
  })

  once.it('has nothing undone where nothing waits', async () => {
    const { uuid } = await leave('once')
    for (const active of [false, false, true, true]) {
      await command('apply', textOf(['once', `active: ${active}`]), '--yes')
      expect(await stateOf('once')).toEqual({ active, at: null })
    }
    expect(await undone(uuid)).toHaveLength(1)
  })

  once.it.each<[verb: string, now: object]>([
    ['enable', stays],
    ['disable', isDisabled],
  ])('is let stay by tessera user %s, which records it too', async (verb, now) => {
    const { uuid, at } = await leave(verb)
    const tried = await byCommand('user', verb, addressOf(verb), '--dry-run')
    expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining('\ndeletion at\t\n') })
    expect([await undone(uuid), (await stateOf(verb)).at]).toEqual([[], at])
    expect(await byCommand('user', verb, addressOf(verb))).toMatchObject({ code: 0 })
    expect(await stateOf(verb)).toEqual(now)
    const records = await undone(uuid)
    expect(records).toMatchObject([{ actor: { kind: 'command' } }])
    await byCommand('user', verb, addressOf(verb))
    expect(await undone(uuid)).toHaveLength(1)
  })

  it('has a password for once no more where a file sets one', async () => {
    const make = async (name: string) => {
      const body = { email: addressOf(name), name, password, password_temporary: true }
      return String((await admin.post('/users', body)).json.uuid)
    }
    const [byFile, byApi] = [await make('once-by-file'), await make('once-by-api')]
    const next = 'another password of nine lives'
    const text = textOf(['once-by-file', `password: ${next}`])
    expect((await command('plan', text)).stdout).toContain(
      '\n      password_temporary: true -> false\n      password: changed\n',
    )
    await command('apply', text, '--yes')
    expect((await admin.patch(`/users/${byApi}`, { password: next })).status).toBe(200)
    for (const uuid of [byFile, byApi]) {
      expect((await admin.get(`/users/${uuid}`)).json.password_temporary).toBe(false)
      expect(await changed(uuid)).toMatchObject([
        {
          before: { password_temporary: true },
          after: { password_temporary: false, password: '(changed)' },
        },
      ])
    }
    expect(await command('plan', text)).toMatchObject({ code: 0 })
  })
})
