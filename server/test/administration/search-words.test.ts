/** People and organisations are found by the beginning of any word of their names. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailKey } from '../../dist/protocol/email-address.js'
import { nameKey } from '../../dist/protocol/values.js'
import { acme, administeredOn, Administrator, globex } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { countOf } from '../harness/states.ts'

const word = fc.constantFrom(
  'Mara',
  'Lind',
  'lindgren',
  'Émile',
  'LI',
  "O'Lind",
  'von',
  'der',
  '"l',
  '\\',
  '1',
)
const name = fc
  .tuple(word, fc.array(fc.tuple(fc.constantFrom(' ', '-', '  ', ' -'), word), { maxLength: 4 }))
  .map(([first, rest]) => first + rest.map(([between, one]) => between + one).join(''))
const asked = ['li', 'LIND', 'von der', 'é', 'e', 'mara lind', '"', '\\', 'lind-', '-lind', "o'l", 'm', '%']

/** Where words begin. */
const beginnings = (key: string) =>
  [...key].flatMap((character, at) => {
    const isWord = !' -'.includes(character) && (at === 0 || ' -'.includes(key[at - 1] ?? ''))
    return isWord || at === 0 ? [key.slice(at)] : []
  })

onEachDatabase('the words of names', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  let count = 0
  async function add(name: string, changes: Record<string, unknown> = {}) {
    const email = `u${String(++count).padStart(3, '0')}@words.example`
    const answer = await admin.post('/users', { email, name, ...changes })
    expect(answer.status, answer.text).toBe(201)
    return { email, path: `/users/${String(answer.json.uuid)}` }
  }
  const inAcme = { profiles: [{ role_code: 'reader', organisation_uuid: acme }] }
  const found = async (who: Administrator, q: string, limit = 200, more = '') =>
    (await who.all(`/users?q=${encodeURIComponent(q)}${more}`, limit)).map((one) => one.email)

  /** Found by looking at everybody, one after the other; within an organisation at those who belong to it. */
  async function expected(q: string, place?: string) {
    const profiles = await admin.all(`/profiles${place === undefined ? '' : `?organisation_uuid=${place}`}`)
    const within = new Set(profiles.map((one) => one.user_uuid))
    const everybody = await admin.all('/users')
    const prefix = nameKey(q)
    return everybody
      .filter((one) => place === undefined || within.has(one.uuid))
      .map((one) => ({ email: String(one.email), name: String(one.name) }))
      .flatMap(({ email, name }) => {
        const [email_key, name_key] = [emailKey(email), nameKey(name)]
        if (email_key.startsWith(emailKey(q))) return [{ email, order: ['0', email_key] }]
        if (name_key.startsWith(prefix)) return [{ email, order: ['1', name_key, email_key] }]
        const [first] = beginnings(name_key)
          .filter((one) => one.startsWith(prefix))
          .toSorted((a, b) => (a < b ? -1 : 1))
        return first === undefined ? [] : [{ email, order: ['2', first, email_key] }]
      })
      .toSorted((a, b) => (a.order.join('\n') < b.order.join('\n') ? -1 : 1))
      .map((one) => one.email)
  }

  it('find who has two profiles at a place, until both are gone', async () => {
    const { email, path } = await add('Twice Held', inAcme)
    const uuid = path.split('/')[2]
    const given = await admin.post('/profiles', {
      ...{ user_uuid: uuid, role_code: 'importer', organisation_uuid: acme },
    })
    expect(given.status, given.text).toBe(201)
    expect(await found(own, 'twice')).toEqual([email])
    for (const left of [[email], []]) {
      const [first] = await admin.all(`/profiles?user_uuid=${uuid}`)
      expect((await admin.delete(`/profiles/${String(first?.uuid)}`)).status).toBe(204)
      expect(await found(own, 'twice')).toEqual(left)
    }
    expect(await found(admin, 'twice')).toEqual([email])
  })

  it('find a person, in the order of address, name and word, each once', async () => {
    const before = await countOf(tessera, 'words')
    const one = await add('Mara Lind', inAcme)
    const two = await add('Lind Mara')
    const three = await add('Anna-Lindgren von der Lind')
    expect(await found(admin, 'lind', 1)).toEqual([two.email, one.email, three.email])
    expect(await found(admin, 'LINDG')).toEqual([three.email])
    expect(await found(admin, 'von der l')).toEqual([three.email])
    expect(await found(admin, 'ind')).toEqual([])
    expect(await found(own, 'lind')).toEqual([one.email])
    expect(await found(admin, 'lind', 200, `&organisation_uuid=${globex}`)).toEqual([])
    await admin.patch(one.path, { name: 'Mara Berg' })
    expect(await found(own, 'lind')).toEqual([])
    expect(await found(own, 'berg')).toEqual([one.email])
    await admin.patch(one.path, { active: false })
    expect(await found(own, 'berg', 200, '&active=true')).toEqual([])
    expect(await found(own, 'berg', 200, '&active=false')).toEqual([one.email])
    for (const { path } of [one, two, three])
      expect((await admin.delete(path, (await admin.get(path)).etag)).status).toBe(204)
    expect(await found(admin, 'lind')).toEqual([])
    expect(await countOf(tessera, 'words')).toBe(before)
  })

  it('find an organisation', async () => {
    const { json } = await admin.post('/organisations', { code: 'zuerich', name: 'Werke Zürich-Nord' })
    const organisations = async (who: Administrator, q: string) =>
      (await who.all(`/organisations?q=${q}`, 1)).map((one) => one.code)
    for (const q of ['zürich', 'nord', 'werke z', 'zuer'])
      expect(await organisations(admin, q), q).toEqual(['zuerich'])
    expect(await organisations(admin, 'ord')).toEqual([])
    // What is out of reach is not found by any word of its name.
    expect(await organisations(own, 'nord')).toEqual([])
    expect(await organisations(own, 'institute')).toEqual(['acme'])
    await admin.patch(`/organisations/${String(json.uuid)}`, { name: 'Werke Basel' })
    expect(await organisations(admin, 'nord')).toEqual([])
    expect(await organisations(admin, 'basel')).toEqual(['zuerich'])
  })

  describe('find whoever a look at everybody finds', () => {
    it('page by page, within the own reach', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(name, fc.boolean()), { minLength: 4, maxLength: 8 }),
          fc.constantFrom(2, 200),
          async (people, limit) => {
            for (const [one, belongs] of people) await add(one, belongs ? inAcme : {})
            for (const q of asked) {
              expect(await found(admin, q, limit), q).toEqual(await expected(q))
              expect(await found(own, q, limit), q).toEqual(await expected(q, acme))
            }
          },
        ),
        { numRuns: 3, endOnFailure: true },
      )
      expect(await found(admin, 'li')).not.toEqual([])
    })
  })
})
