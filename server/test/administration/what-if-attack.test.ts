/** Drafted changes of somebody who means harm, or asks for too much: nobody else is held up, and no answer is stale. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, finance, intake, problemOf } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { everythingWritten } from '../harness/states.ts'

interface Drafted {
  method: string
  path: string
  body?: object
}

onEachDatabase('drafts that are hostile', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })
  const ask = async (who: Administrator, changes: readonly Drafted[]) =>
    await who.post('/access/what-if', { changes })
  const at = (unit?: string) => ({
    role_code: 'importer',
    organisation_uuid: acme,
    ...(unit !== undefined && { organisation_unit_uuid: unit }),
  })
  const people = Array.from(
    { length: 8 },
    (_, index): Drafted => ({
      method: 'POST',
      path: '/users',
      body: {
        email: `drafted-${index}@acme.example`,
        name: 'Drafted',
        profiles: [at(), at(intake), at(finance)],
      },
    }),
  )

  it('take no connection from others, however many are sent at once', async () => {
    const state = await everythingWritten(tessera)
    // The last is refused, so that those before it are tried twice.
    const draft = [...people, { method: 'POST', path: '/profiles', body: {} }]
    const asked = Array.from({ length: 15 }, () => ask(own, draft))
    const others = await Promise.all(
      Array.from({ length: 5 }, () => Administrator.machine(tessera.url, 'onlooker-cli')),
    )
    for (const one of others) expect((await one.get('/me')).status).toBe(200)
    for (const answer of await Promise.all(asked)) {
      if (answer.status === 200) {
        expect(answer.json.refused).toMatchObject({ index: people.length })
        continue
      }
      // A slow machine needs too long for one.
      if (answer.status === 409) {
        expect(answer.json.detail).toMatch(/^It takes too long to try these out while others wait/)
        continue
      }
      expect([problemOf(answer), answer.json.detail]).toEqual([
        '503 temporarily_unavailable',
        'Others are tried out. Try again in a few seconds.',
      ])
      expect(answer.headers.get('retry-after')).toBe('5')
    }
    expect(await everythingWritten(tessera)).toEqual(state)
    expect((await ask(own, people.slice(0, 1))).status).toBe(200)
  }, 120_000)

  it('are each judged by what those before them left', async () => {
    const { json } = await admin.get('/policy')
    const { managed_by: _, ...policy } = json
    const add = (email: string): Drafted => ({
      method: 'POST',
      path: '/users',
      body: { email, name: 'Drafted', password: 'correct horse battery ten' },
    })
    const longer: Drafted = { method: 'PUT', path: '/policy', body: { ...policy, password_length: 60 } }
    const { json: told, text } = await ask(admin, [
      add('one@acme.example'),
      longer,
      add('other@acme.example'),
    ])
    expect(told.refused, text).toMatchObject({
      index: 2,
      problem: { status: 400, errors: [{ field: 'password' }] },
    })
  })
})
