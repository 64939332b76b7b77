/** Nobody's password is a word of their own: every door that sets one, by every such word. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { user } from '../../dist/catalogue/user.js'
import { acme, Administrator, administeredOn, globex } from '../administration/support.ts'
import { type Ran, runHere, ways } from '../cli/command-support.ts'
import { authorizeRequest, formOn, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { duringTests, startTessera } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { removeEverybody } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for mails that are due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

const given = 'seven quiet ferries at dusk'
const fine = 'seven quiet ferries at dawn'

/** What somebody is called, no word of a field in another. */
const names = {
  name: 'Rosalinde Maud Quillfeather',
  given_name: 'Ottoline',
  family_name: 'Weatherby-Longbottom',
  preferred_username: 'moonharbour',
}
const emailAt = (domain: string) => `brightwater@saltmarsh.${domain}.example`

/** Passwords that are a word of a field or of the brand, in whatever letters, with digits and signs around. */
const ownWords = (email: string) => ({
  email: ['brightwater', 'Saltmarsh9', email, email.replaceAll(/\W/g, '')],
  name: ['Rosalinde Maud Quillfeather', 'rosalinde', '_QUILLFEATHER', 'Quillfeather1987!', 'Maud2024'],
  given_name: ['Ottoline', 'ottoline2024'],
  family_name: ['Weatherby-Longbottom', 'weatherby', 'ＬＯＮＧＢＯＴＴＯＭ', '..Longbottom..'],
  preferred_username: ['moonharbour', 'Moon.Harbour1'],
  brand: ['tessera!', 'Tessera2024'],
})
type Field = keyof ReturnType<typeof ownWords>
const all: readonly Field[] = ['email', ...(Object.keys(names) as (keyof typeof names)[]), 'brand']
/** All that a door knows where somebody makes an account of their own. */
const nameAndAddress: readonly Field[] = ['email', 'name', 'brand']

/** Sets a password of somebody; yields whether it is taken. */
type Sets = (password: string) => Promise<boolean>

/** The first word that is taken. Where none is, a password that is no word has to be. */
async function takenBy(sets: Sets, email: string, fields = all): Promise<string | undefined> {
  const words = ownWords(email)
  for (const field of fields)
    for (const word of words[field]) if (await sets(word)) return `${field}: ${word}`
  expect(await sets(fine)).toBe(true)
  return undefined
}

const twice = (password: string) => ({ password, password_again: password })
const said = 'passwords that are guessed first'

/** A page that shows its form again says why; all else that is refused is a fault of the test. */
function took({ status, body }: Visit): boolean {
  const isRefused = status === 400 && body.includes('guessed first')
  if (!isRefused && status >= 400) throw new Error(`Neither taken nor refused, but ${status}: ${body}`)
  return !isRefused
}
/** The same of a command. */
function ended({ code, stderr }: Ran, refusal = said): boolean {
  const isRefused = code === 1 && stderr.includes(refusal)
  if (!isRefused && code !== 0) throw new Error(`Neither taken nor refused, but ${String(code)}: ${stderr}`)
  return !isRefused
}

it('is looked for in every text that somebody is called by', () => {
  const texts = Object.entries(user).flatMap(([name, { kind }]) =>
    kind.is === 'text' && 'most' in kind && kind.most === 200 ? [name] : [],
  )
  expect(Object.keys(names)).toEqual(texts)
})

onOneDatabase('a word of their own is no password of somebody', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const fresh = () => new TestBrowser(tessera.url)
  const onDatabase = (commandLine: string[], input = '') =>
    runHere(commandLine, { environment: ways.database(tessera), input })

  /** Somebody new with these names, each under another domain. */
  const somebody = async (domain: string, more: object = {}, by = admin) => {
    const email = emailAt(domain)
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = await by.post('/users', { ...names, email, password: given, profiles, ...more })
    if (made.status !== 201) throw new Error(made.text)
    return { email, password: given, path: `/users/${String(made.json.uuid)}` }
  }
  const formAt =
    (page: Visit, browser: TestBrowser): Sets =>
    async (password) =>
      took(await browser.submit(page, twice(password)))

  it('by a link to reset it', async () => {
    const { email } = await somebody('reset')
    const browser = fresh()
    const asked = await browser.open('/sign-in/forgotten')
    await browser.submit(asked, { email })
    const page = await browser.open(linkIn(await mailTo(tessera, email, 'new password')))
    expect(await takenBy(formAt(page, browser), email)).toBeUndefined()
  })

  it('by a recovery link of an administrator', async () => {
    const { path, email } = await somebody('recovery')
    const { json } = await admin.post(`${path}/recovery`, { delivery: 'link' })
    const browser = fresh()
    expect(await takenBy(formAt(await browser.open(String(json.link)), browser), email)).toBeUndefined()
  })

  it('by a forced change', async () => {
    const person = await somebody('forced', { password_temporary: true })
    const browser = fresh()
    const page = await signIn(browser, authorizeRequest().path, person)
    expect(await takenBy(formAt(page, browser), person.email)).toBeUndefined()
  })

  it('by the account', async () => {
    const person = await somebody('account')
    const browser = fresh()
    await signIn(browser, authorizeRequest().path, person)
    const { csrf = '' } = formOn(await browser.open('/account/sign-in')).hidden
    const page = await browser.request('/account/sign-in', { form: { csrf, do: 'password' } })
    const sets: Sets = async (password) =>
      took(
        await browser.submit(page, {
          current_password: given,
          new_password: password,
          new_password_again: password,
        }),
      )
    expect(await takenBy(sets, person.email)).toBeUndefined()
  })

  it('by an invitation, with the name that is typed', async () => {
    const email = emailAt('invited')
    const { status } = await admin.post('/invitations', {
      email,
      profiles: [{ role_code: 'importer', organisation_uuid: acme }],
    })
    expect(status).toBe(201)
    const browser = fresh()
    const page = await browser.open(linkIn(await mailTo(tessera, email, 'invite')))
    const sets: Sets = async (password) =>
      took(await browser.submit(page, { name: names.name, ...twice(password) }))
    expect(await takenBy(sets, email, nameAndAddress)).toBeUndefined()
  })

  it('by an invitation that somebody accepts whose account others made, by all that they hold and get', async () => {
    const planter = await Administrator.machine(tessera.url, 'acme-cli')
    const person = await somebody('accepted', {}, planter)
    const brand = async (branding: object) =>
      expect((await admin.patch(`/organisations/${acme}`, { branding })).status).toBe(200)
    await brand({ name: 'Harbourlight' })
    const profiles = [{ role_code: 'reader', organisation_uuid: globex }]
    expect((await admin.post('/invitations', { email: person.email, profiles })).status).toBe(201)
    const browser = fresh()
    const page = await browser.open(linkIn(await mailTo(tessera, person.email, 'invite')))
    const form = await browser.submit(await browser.submit(page), person)
    const sets: Sets = async (password) =>
      took(await browser.submit(form, { profile_0: '1', ...twice(password) }))
    expect(await sets('Harbourlight!')).toBe(false)
    expect(await takenBy(sets, person.email)).toBeUndefined()
    await brand({ name: null })
  })

  it('by the API, for somebody new and somebody who is there', async () => {
    const { path, email } = await somebody('api')
    const other = emailAt('made')
    const sets =
      (send: (password: string) => ReturnType<Administrator['patch']>): Sets =>
      async (password) => {
        const { status, text } = await send(password)
        if (status >= 400 && !(status === 400 && text.includes(said))) throw new Error(text)
        return status < 400
      }
    const changing = sets((password) => admin.patch(path, { password }))
    const making = sets((password) => admin.post('/users', { ...names, email: other, password }))
    expect([await takenBy(changing, email), await takenBy(making, other)]).toEqual([undefined, undefined])
  })

  it('by the command, for somebody new and somebody who is there', async () => {
    const { email } = await somebody('command')
    const changing: Sets = async (password) =>
      ended(await onDatabase(['user', 'password', email], `${password}\n`))
    const other = emailAt('created')
    const options = Object.entries(names).flatMap(([field, value]) => [`--${field.replace('_', '-')}`, value])
    const creating = ['user', 'create', other, ...options]
    const making: Sets = async (password) =>
      ended(await onDatabase([...creating, '--password-stdin'], `${password}\n`))
    expect([await takenBy(changing, email), await takenBy(making, other)]).toEqual([undefined, undefined])
  })

  it('by a declared file of development; an import takes no plain password at all', async () => {
    const folder = temporaryFolder()
    const environment = { ...ways.database(tessera), TESSERA_MODE: 'development' }
    const written = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const email = emailAt('declared')
    const declaring: Sets = async (password) => {
      const one = { ...names, email, password }
      const file = written('own.yaml', `users:\n  - ${JSON.stringify(one)}\n`)
      return ended(await runHere(['apply', '--yes', file], { environment }), 'own.yaml:2: password is')
    }
    expect(await takenBy(declaring, email)).toBeUndefined()
    const rows = written('rows.csv', `email,name,password\nx@saltmarsh.example,X,${fine}\n`)
    const { code, stderr } = await runHere(['import', rows], { environment })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Passwords are imported as hashes')])
  })
})

onOneDatabase('a word of their own is no password of the first administrator', (dialect) => {
  const tessera = duringTests(() => startTessera(dialect, { content: 'empty' }))
  beforeEach(() => removeEverybody(tessera, 'and roles'))
  const email = emailAt('setup')
  const { name } = names
  const command = (commandLine: string[], input = '') =>
    runHere(commandLine, { environment: ways.database(tessera), input })

  it('by tessera setup', async () => {
    const sets: Sets = async (password) =>
      ended(await command(['setup', '--email', email, '--name', name, '--password-stdin'], password))
    expect(await takenBy(sets, email, nameAndAddress)).toBeUndefined()
  })

  it('by its link', async () => {
    const { stdout } = await command(['setup', '--link'])
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(stdout.trim())
    const sets: Sets = async (password) =>
      took(await browser.submit(page, { name, email, ...twice(password) }))
    expect(await takenBy(sets, email, nameAndAddress)).toBeUndefined()
  })
})
