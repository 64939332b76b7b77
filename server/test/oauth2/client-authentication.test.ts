import { describe, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { machine, refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'
import { addSecret, copyClient } from '../harness/states.ts'

const grant = { grant_type: 'client_credentials' }
const encode = (text: string) => Buffer.from(text).toString('base64')
const basic = (id: string, secret: string) => ({ authorization: `Basic ${encode(`${id}:${secret}`)}` })
const right = basic(machine.client_id, machine.client_secret)
const strange = { id: 'strange:client &ü', secret: 'a+b %25:c=d&é/ü-0123456789-0123456789' }

onOneDatabase('client authentication', (dialect) => {
  const tessera = tesseraOn(dialect)

  const ask = async (headers: Record<string, string>, body: Record<string, string> = {}) =>
    await token(tessera.url, { ...grant, ...body }, headers)

  it('takes Basic, in any case of the scheme, with and without client_id in the body', async () => {
    expect((await ask(right)).status).toBe(200)
    expect((await ask({ authorization: right.authorization.replace('Basic', 'bAsIc') })).status).toBe(200)
    expect((await ask(right, { client_id: machine.client_id })).status).toBe(200)
  })

  it('form-decodes both halves of Basic, as RFC 6749 §2.3.1 says', async () => {
    await copyClient(tessera, machine.client_id, strange.id)
    await addSecret(tessera, strange.id, { text: strange.secret })
    const form = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
    expect((await ask(basic(form(strange.id), form(strange.secret)))).status).toBe(200)
    const percent = basic(encodeURIComponent(strange.id), encodeURIComponent(strange.secret))
    expect((await ask(percent)).status).toBe(200)
    const body = { client_id: strange.id, client_secret: strange.secret }
    expect((await ask({}, body)).status).toBe(200)
    const raw = await ask(basic(strange.id, strange.secret))
    expect(refusalOf(raw)).toBe('401 invalid_client')
  })

  describe('answers 401 with a challenge for', () => {
    it.each([
      ['a wrong secret', basic('nightly-import', 'wrong')],
      ['an empty secret', basic('nightly-import', '')],
      ['an unknown client', basic('nobody', 'x')],
      ['an inactive client', basic('retired-app', 'x')],
      ['a public client with a secret', basic('submissions-web', 'x')],
      ['a client with a NUL', basic('nightly-import%00', 'x')],
      ['no colon', { authorization: `Basic ${encode('nightly-import')}` }],
      ['no client', basic('', machine.client_secret)],
      ['what is no base64', { authorization: 'Basic ???' }],
      ['base64url', { authorization: `Basic ${Buffer.from('ÿÿÿ:ÿÿÿ').toString('base64url')}__` }],
      ['a broken percent-encoding', basic('nightly-import', '%zz')],
      ['nothing after the scheme', { authorization: 'Basic' }],
      ['another scheme', { authorization: `Bearer ${encode('nightly-import:x')}` }],
      ['an empty scheme', { authorization: ' ' }],
    ])('%s', async (_, headers) => {
      const answer = await ask(headers)
      expect(refusalOf(answer)).toBe('401 invalid_client')
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
    })
  })

  it('takes no public client by its name beside a header that is none', async () => {
    const answer = await ask({ authorization: 'Bearer x' }, { client_id: 'submissions-web' })
    expect(refusalOf(answer)).toBe('401 invalid_client')
  })

  it('takes an empty client_secret beside Basic for one that was left out, as RFC 6749 §3.2 says', async () => {
    expect((await ask(right, { client_secret: '' })).status).toBe(200)
  })

  it('takes the name of a public client by Basic without a secret, as common libraries send it', async () => {
    const { client_id: name = '', ...form } = await new Visitor(tessera.url).code()
    const named = basic(name, '')
    const other = await token(tessera.url, form, basic('partner-portal', ''))
    expect(refusalOf(other)).toBe('400 invalid_grant')
    const tokens = tokensOf(await token(tessera.url, { ...form, client_secret: '' }, named))
    const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    expect((await token(tessera.url, again, named)).status).toBe(200)
    expect(refusalOf(await ask(named))).toBe('400 unauthorized_client')
    expect(refusalOf(await ask(named, { client_id: 'partner-portal' }))).toBe('400 invalid_request')
  })

  it('sends no challenge where Basic was not used', async () => {
    const answer = await ask({}, { client_id: machine.client_id, client_secret: 'wrong' })
    expect(refusalOf(answer)).toBe('401 invalid_client')
    expect(answer.headers.has('www-authenticate')).toBe(false)
  })

  it.each([
    ['the secret in body and header', machine],
    ['another client in the body', { client_id: 'ledger-report' }],
  ])('refuses %s', async (_, body) => {
    expect(refusalOf(await ask(right, body))).toBe('400 invalid_request')
  })

  it('does not tell an unknown client from an inactive one', async () => {
    const [unknown, inactive] = [
      await ask({}, { client_id: 'nobody' }),
      await ask({}, { client_id: 'retired-app' }),
    ]
    expect(inactive?.text).toBe(unknown?.text)
  })

  it('never repeats a secret or a header in its answer', async () => {
    for (const answer of [
      await ask(basic('nightly-import', 'the-very-secret')),
      await ask({}, { client_id: 'nightly-import', client_secret: 'the-very-secret' }),
      await ask({ authorization: 'Weird the-very-secret' }),
      await ask({}, { client_id: 'the-very-secret', grant_type: 'the-very-secret' }),
    ]) {
      expect(answer.text).not.toContain('the-very-secret')
    }
  })
})
