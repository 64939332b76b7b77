/** Two imports at once, and one beside sign-ins: nobody is there twice, and nothing of a planted account is left. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { leftOf, usersOf } from '../harness/states.ts'
import { importText, lines, password_hash } from './support.ts'

const known = 'a password that they know'
const profiles = [{ role: 'importer', organisation: 'acme' }]

onEachDatabase('imports at once', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  let planter: Administrator
  beforeAll(async () => {
    planter = await Administrator.machine(tessera.url, 'acme-cli')
  })
  const row = (email: string, more: object = {}) => ({ email, name: 'Own', password_hash, profiles, ...more })

  it('of other people with the same ids adds one, and throws at neither', async () => {
    const ids = { uuid: '99999999-9999-4999-8999-999999999999', former_sub: 'same' }
    const all = await Promise.all(
      ['a', 'b', 'c'].map((one) => importText(tessera, lines([row(`${one}@two.example`, ids)]))),
    )
    expect(all.filter(({ imported }) => imported === 1)).toHaveLength(1)
  })

  it('beside sign-ins of planted accounts leaves nothing of these', async () => {
    const given = [{ role_code: 'importer', organisation_uuid: acme }]
    const planted: { email: string; uuid: string }[] = []
    for (const one of ['p1', 'p2', 'p3', 'p4']) {
      const email = `${one}@two.example`
      const made = await planter.post('/users', { email, name: 'Planted', password: known, profiles: given })
      planted.push({ email, uuid: String(made.json.uuid) })
    }
    const enter = async (email: string) =>
      await tokensFor(tessera.url, { email, password: known }).catch(() => undefined)
    const rows = lines(planted.map(({ email }) => row(email)))
    const [one, other] = await Promise.all([
      importText(tessera, rows),
      importText(tessera, rows),
      ...planted.flatMap(({ email }) => [enter(email), enter(email), enter(email)]),
    ])
    expect((one?.replaced ?? 0) + (other?.replaced ?? 0)).toBe(4)
    for (const { uuid, email } of planted) {
      expect(await leftOf(tessera, uuid)).toEqual({})
      expect((await usersOf(tessera)).filter((user) => user.email === email)).toHaveLength(1)
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, authorizeRequest().path, { email, password: known })
      expect(page.status).toBe(400)
    }
  })
})
