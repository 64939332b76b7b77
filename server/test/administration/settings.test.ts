/** What the environment sets, as administrators of the whole installation see it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, heads, problemOf } from './support.ts'
import { runHere, ways } from '../cli/command-support.ts'

interface Shown {
  name: string
  value: string | null
  standard: string | null
  set: boolean
  secret: boolean
}

const hidden = [
  'mail-password',
  'a-user-of-mail',
  'docs-password',
  'docs-token',
  'a previous secret that nobody is ever shown 0123456789',
]

describe('the settings of the environment', () => {
  const tessera = administeredOn('sqlite', {
    TESSERA_MAIL_URL: 'smtp://a-user-of-mail:mail-password@mail.example.com:587',
    TESSERA_MAIL_FROM: 'Acme <no-reply@id.example.com>',
    TESSERA_SECRET_PREVIOUS: hidden.at(-1) ?? '',
    TESSERA_DOCS_URL: 'https://reader:docs-password@docs.example.com/tessera/?token=docs-token',
    TESSERA_ACCESS_TOKEN_LIFETIME: '600',
  })
  let all: Administrator
  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
  })
  const shown = async () => {
    const { json, text, status } = await all.get('/settings')
    expect(status, text).toBe(200)
    return { text, of: (name: string) => (json.items as Shown[]).find((one) => one.name === name) }
  }

  it('are shown with what holds, what is usual, and what was set', async () => {
    const { of } = await shown()
    expect(of('TESSERA_ACCESS_TOKEN_LIFETIME')).toMatchObject({ value: '600', standard: '900', set: true })
    expect(of('TESSERA_CODE_LIFETIME')).toMatchObject({ value: '60', standard: '60', set: false })
    expect(of('TESSERA_ALIASES')).toMatchObject({ value: null, standard: null, set: false })
  })

  it('hide secrets, and users and passwords of addresses', async () => {
    const { of, text } = await shown()
    for (const one of hidden) expect(text).not.toContain(one)
    expect(of('TESSERA_SECRET')).toMatchObject({ value: null, secret: true })
    expect(of('TESSERA_SECRET_PREVIOUS')).toMatchObject({ value: null, secret: true, set: true })
    expect(of('TESSERA_MAIL_URL')).toMatchObject({ value: 'smtp://mail.example.com:587', set: true })
    expect(of('TESSERA_DOCS_URL')?.value).toBe('https://docs.example.com/tessera')
    expect(of('TESSERA_DATABASE_URL')?.value).toMatch(/^sqlite:/)
  })

  it('are refused to whoever administers less, and to whom the permission lacks', async () => {
    const role = { code: 'settings-reader', name: 'Settings reader', permissions: ['iam.settings.read'] }
    expect((await all.post('/roles', role)).status).toBe(201)
    const one = { email: 'settings@acme.example', password: 'correct horse battery nine' }
    const profiles = [{ role_code: role.code, organisation_uuid: acme }]
    expect((await all.post('/users', { ...one, name: 'Sara Reader', profiles })).status).toBe(201)
    const own = await Administrator.person(tessera.url, one)
    const unit = await Administrator.person(tessera.url, heads.unitHead)
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    const roles = await Administrator.machine(tessera.url, 'roles-cli')
    expect(problemOf(await own.get('/settings'))).toBe('403 forbidden')
    for (const who of [unit, onlooker, roles]) {
      const { status, json } = await who.get('/settings')
      expect([status, json.error]).toEqual([403, 'insufficient_scope'])
    }
    expect(problemOf(await all.get('/settings?q=MAIL'))).toBe('400 invalid_request q')
    expect((await all.post('/settings', {})).status).toBe(405)
  })

  it('are listed by the command', async () => {
    const ran = await runHere(['settings'], { environment: ways.http(tessera) })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toMatch(/^TESSERA_ACCESS_TOKEN_LIFETIME\t600\tyes$/m)
    const json = await runHere(['settings', '--json'], { environment: ways.database(tessera) })
    expect((JSON.parse(json.stdout) as { items: Shown[] }).items.length).toBeGreaterThan(40)
  })
})
