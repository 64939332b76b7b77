/** What an imported person still has to do: choose another password, set up a second factor. */
import { beforeAll, expect, it } from 'vitest'
import { answerOf, authorizeRequest, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { auditOf, usersOf } from '../harness/states.ts'
import { importText, lines, password, password_hash } from './support.ts'

const profiles = [{ role: 'importer', organisation: 'acme' }]
const own = 'seven quiet ferries at dawn'
const pathOf = ({ url }: Visit) => new URL(url).pathname
const head = 'email,name,password_hash,password_temporary,enrolment_required,role,organisation\n'

onEachDatabase('an import of what somebody still has to do', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    const rows = [
      { email: 'once@flags.example', name: 'Once', password_hash, password_temporary: true, profiles },
      { email: 'factor@flags.example', name: 'Factor', password_hash, enrolment_required: true, profiles },
      { email: 'none@flags.example', name: 'None', password_hash, password_temporary: false, profiles },
    ]
    expect(await importText(tessera, lines(rows))).toMatchObject({ imported: 3, refused: [] })
    expect(await importText(tessera, lines(rows))).toMatchObject({ imported: 0, already: 3, refused: [] })
  })
  const at = async (email: string) => {
    const browser = new TestBrowser(tessera.url)
    const page = await signIn(browser, authorizeRequest().path, { email, password })
    return { browser, page }
  }

  it('asks for another password at the first sign-in, and for no third', async () => {
    const { browser, page } = await at('once@flags.example')
    expect([page.status, pathOf(page)]).toEqual([200, '/sign-in/new-password'])
    const done = await browser.submit(page, { password: own, password_again: own })
    expect(answerOf(done).code).toBeTypeOf('string')
    const again = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, {
      email: 'once@flags.example',
      password: own,
    })
    expect(answerOf(again).code).toBeTypeOf('string')
  })

  it('asks for a second factor at once, though the installation asks nobody', async () => {
    const { page } = await at('factor@flags.example')
    expect([page.status, pathOf(page)]).toEqual([200, '/sign-in/enrol'])
    expect(page.body).not.toContain('value="later"')
    expect(answerOf((await at('none@flags.example')).page).code).toBeTypeOf('string')
  })

  it('tells the audit, and takes the flags as spreadsheets write them', async () => {
    const spelled = ['WAHR', 'true', 'T', '1', 'Ja', 'yes'].map(
      (yes, index) => `s${index}@flags.example,S,"${password_hash}",${yes},${yes},importer,acme\n`,
    )
    const none = ['FALSCH', 'no', '0', ''].map(
      (no, index) => `n${index}@flags.example,N,"${password_hash}",${no},${no},importer,acme\n`,
    )
    expect(await importText(tessera, `${head}${spelled.join('')}${none.join('')}`)).toMatchObject({
      imported: 10,
      refused: [],
    })
    const users = (await usersOf(tessera)).filter(({ email }) => /^[sn]\d@flags/.test(email))
    for (const { email, password_temporary, enrolment_required } of users) {
      const is = email.startsWith('s') ? 1 : 0
      expect([email, password_temporary, enrolment_required]).toEqual([email, is, is])
    }
    const user = users.find(({ email }) => email.startsWith('s'))?.uuid ?? ''
    const [created] = await auditOf(tessera, { user, kind: 'user.created' })
    expect(created?.after).toMatchObject({ password_temporary: true, enrolment_required: true })
  })

  it('refuses a flag that is none, and a temporary password that is not there', async () => {
    const wrong = `a@no.example,A,,true,,,\nb@no.example,B,,,perhaps,,\nc@no.example,C,"${password_hash}",2,,,\n`
    const { imported, refused } = await importText(tessera, head + wrong)
    expect([imported, refused.map((one) => one.at)]).toEqual([
      0,
      ['2 password_temporary', '3 enrolment_required', '4 password_temporary'],
    ])
    expect(refused[0]?.reasons).toContain('needs a password_hash')
    expect(refused[1]?.reasons).toContain('true or false')
    const typed = { email: 'd@no.example', name: 'D', enrolment_required: 'true' }
    expect((await importText(tessera, lines([typed]))).refused.map((one) => one.at)).toEqual([
      '1 enrolment_required',
    ])
  })
})
