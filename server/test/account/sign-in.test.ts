import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  formOn,
  people,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { passCode } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { auditOf, setPolicy } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'

afterAll(cleanUp)

const minute = 60_000
const path = '/account/sign-in'

onOneDatabase('the page of how somebody signs in', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => {
    tessera.clock.stop()
    return importEnrolled(tessera, ['owner', 'other'])
  })

  const nextStep = () => tessera.clock.advance(30_000)
  const secretOn = (page: Visit) =>
    /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''
  const codesOn = (page: Visit) =>
    [...page.body.matchAll(/<li>(\d+(?:-[0-9A-Z]{4}){4})<\/li>/g)].map(([, code]) => code ?? '')
  const idOn = (page: Visit) => /name="id" value="([0-9a-f]{32})"/.exec(page.body)?.[1] ?? ''
  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  /** Posts a form of the page: its CSRF token is that of every form on it. */
  async function act(one: TestBrowser, page: Visit, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(page).hidden
    return await one.follow(await one.request(path, { form: { csrf, ...fields } }))
  }

  async function signedIn(person: { email: string; password: string }): Promise<TestBrowser> {
    const one = new TestBrowser(tessera.url)
    await signIn(one, authorizeRequest().path, person)
    return one
  }

  async function enrolled(name: string): Promise<TestBrowser> {
    const one = new TestBrowser(tessera.url)
    const done = await one.submit(await atSecondFactor(one, personOf(name)), { code: codeOf(tessera) })
    expect(answerOf(done).code).toBeDefined()
    nextStep()
    return one
  }

  it('is for who is signed in, and takes no form of another session or site', async () => {
    const nobody = new TestBrowser(tessera.url)
    expect(pathOf(await nobody.open(path))).toBe('/sign-in')
    expect((await nobody.request(path, { form: { do: 'add' } })).status).toBe(403)
    const one = await signedIn(people.importer)
    const page = await one.open(path)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.body).toContain('href="/oauth2/logout"')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const other = await signedIn(people.importer)
    const { csrf = '' } = formOn(await other.open(path)).hidden
    for (const form of [{ do: 'add' }, { do: 'add', csrf }, { do: 'add', csrf: 'x' }]) {
      expect((await one.request(path, { form })).status).toBe(403)
    }
  })

  it('sets up an authenticator app after a fresh password, and shows recovery codes once', async () => {
    const one = await signedIn(people.importer)
    const other = await signedIn(people.importer)
    const { email: address } = people.importer
    const asking = await act(other, await other.open(path), { do: 'add' })
    const theirs = await passCode(tessera, { browser: other, page: asking, address })
    tessera.clock.advance(11 * minute)
    const page = await one.open(path)
    const asked = await act(one, page, { do: 'add' })
    expect(asked.body).toContain('name="password"')
    const wrong = await one.submit(asked, { password: 'not the password' })
    expect([wrong.status, secretOn(wrong)]).toEqual([400, ''])
    const proved = await one.submit(wrong, { password: people.importer.password })
    const shown = await passCode(tessera, { browser: one, page: proved, address })
    const secret = secretOn(shown)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(shown.body).toContain('<svg class="qr"')
    const confirm = (code: string) => one.submit(shown, { name: 'Phone', code })
    expect((await confirm('000')).status).toBe(400)
    expect((await confirm(codeOf(tessera, 5, secret))).body).toContain('clock')
    // Until then it gives nothing: a password is all there is.
    const meanwhile = await signedIn(people.importer)
    expect(answerOf(await meanwhile.open(authorizeRequest().path)).code).toBeDefined()

    const before = one.cookies.get('tessera-session')
    const codes = codesOn(await confirm(codeOf(tessera, 0, secret)))
    expect(codes).toHaveLength(10)
    expect(one.cookies.get('tessera-session')).not.toBe(before)
    const listed = await one.open(path)
    expect(listed.body).toContain('Phone')
    for (const code of codes) expect(listed.body).not.toContain(code)

    // The first factor of another session, begun before, can't be added beside it by the password.
    const late = await act(other, theirs, {
      do: 'confirm',
      name: 'Thief',
      code: codeOf(tessera, 0, secretOn(theirs)),
    })
    expect(late.body).toContain('name="proof_code"')
    const entered = await atSecondFactor(new TestBrowser(tessera.url), people.importer)
    expect(pathOf(entered)).toBe('/sign-in/second-factor')
    const records = await auditOf(tessera, { kind: 'factor.created' })
    expect(JSON.stringify(records)).not.toContain(secret)
    await useRecoveryCodes(codes)
  })

  /** Once each, however typed, and one of two at once. */
  async function useRecoveryCodes(codes: readonly string[]): Promise<void> {
    const typed = (codes[0] ?? '').toLowerCase().replaceAll('-', ' ')
    const both = await Promise.all(
      [1, 2].map(async () => {
        const one = new TestBrowser(tessera.url)
        const page = await atSecondFactor(one, people.importer)
        expect(page.body).not.toContain('name="recovery_code"')
        return { one, page: await one.open(`${page.url}&with=recovery`) }
      }),
    )
    const answers = await Promise.all(both.map(({ one, page }) => one.submit(page, { recovery_code: typed })))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([303, 400])
    const [through] = both.filter((_, index) => answers[index]?.status === 303)
    if (through === undefined) throw new Error('Nobody came through.')
    // A recovery code is a fresh second factor: who lost their phone sets up another, and gets new codes.
    const made = codesOn(await act(through.one, await through.one.open(path), { do: 'codes' }))
    expect(made).toHaveLength(10)
    const again = new TestBrowser(tessera.url)
    const page = await again.open(`${(await atSecondFactor(again, people.importer)).url}&with=recovery`)
    expect((await again.submitOnce(page, { recovery_code: codes[1] ?? '' })).status).toBe(400)
    expect(answerOf(await again.submit(page, { recovery_code: made[1] ?? '' })).code).toBeDefined()
  }

  it('gives nothing to a pending app of another session, or after a quarter of an hour', async () => {
    // No code is mailed to an address that is not verified.
    const one = await signedIn(people.admin)
    const shown = await act(one, await one.open(path), { do: 'add' })
    const thief = await signedIn(people.admin)
    const page = await thief.open(path)
    const fields = { do: 'confirm', name: 'Mine', code: codeOf(tessera, 0, secretOn(shown)) }
    expect((await act(thief, page, fields)).status).toBe(400)
    tessera.clock.advance(16 * minute)
    const password = people.admin.password
    const late = await one.submit(shown, { name: 'Mine', code: codeOf(tessera, 0, secretOn(shown)) })
    expect((await one.submit(late, { password })).status).toBe(400)
    expect((await (await signedIn(people.admin)).open(path)).body).not.toContain('class="factors"><li')
  })

  describe('with a stolen session', () => {
    it('changes nothing without a fresh proof at the highest level', async () => {
      const one = await enrolled('owner')
      const id = idOn(await one.open(path))
      tessera.clock.advance(11 * minute)
      const page = await one.open(path)
      for (const fields of [
        { do: 'add' },
        { do: 'rename', id, name: 'Stolen' },
        { do: 'remove', id },
        { do: 'codes' },
        { do: 'confirm', name: 'x', code: codeOf(tessera) },
        // The password alone is not enough.
        { do: 'remove', id, password: personOf('owner').password },
      ]) {
        const answer = await act(one, page, fields)
        expect(answer.body).toContain('name="proof_code"')
      }
      // Nor is a session by the password alone.
      const half = new TestBrowser(tessera.url)
      await atSecondFactor(half, personOf('owner'))
      expect((await half.open(path)).body).not.toContain(id)
      expect((await one.open(path)).body).not.toContain('Stolen')
      expect(await auditOf(tessera, { kind: 'factor.removed' })).toEqual([])
    })

    it('removes a factor with one, but not the last where policy demands it', async () => {
      nextStep()
      const one = await enrolled('other')
      tessera.clock.advance(11 * minute)
      const page = await one.open(path)
      const id = idOn(page)
      const asked = await act(one, page, { do: 'remove', id })
      const { password } = personOf('other')
      await setPolicy(tessera, { role: 'reader' }, { second_factor: 'required' })
      const kept = await one.submit(asked, { password, proof_code: codeOf(tessera) })
      expect([kept.status, idOn(kept)]).toEqual([400, id])
      await setPolicy(tessera, { role: 'reader' }, null)
      const done = await act(one, page, { do: 'remove', id })
      expect([done.status, new URL(done.url).search]).toEqual([200, '?done=removed'])
      expect((await one.open(path)).status).toBe(200)
      const direct = await signedIn(personOf('other'))
      expect(answerOf(await direct.open(authorizeRequest().path)).code).toBeDefined()
    })
  })
})
