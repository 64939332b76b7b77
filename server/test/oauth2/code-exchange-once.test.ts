import { beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  introspect,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  verified,
  Visitor,
} from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'

onEachDatabase('a code is good once, for sixty seconds', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    tessera.clock.stop()
    visitor = new Visitor(tessera.url)
  })

  it('refuses the second exchange and ends what the first gave', async () => {
    const other = await visitor.tokens()
    const form = await visitor.code()
    const first = tokensOf(await token(tessera.url, form))
    expect(await introspect(tessera.url, first.access_token)).toMatchObject({ active: true })
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    // However often it is tried, it is told of once: nobody fills the audit with one used code.
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')

    expect(refusalOf(await refresh(tessera.url, first.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, first.access_token)).status).toBe(401)
    expect(await introspect(tessera.url, first.access_token)).toEqual({ active: false })
    // The same person's other tokens live on, and the session does too.
    expect((await userinfo(tessera.url, other.access_token)).status).toBe(200)
    expect((await refresh(tessera.url, other.refresh_token)).status).toBe(200)
    expect(await auditOf(tessera, { kind: 'code.replayed' })).toHaveLength(1)
  })

  it('ends the tokens of a replayed code although they were refreshed meanwhile', async () => {
    const form = await visitor.code()
    const first = tokensOf(await token(tessera.url, form))
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, second.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, second.access_token)).status).toBe(401)
  })

  it('ends the tokens of a code that is replayed after its sixty seconds', async () => {
    const form = await visitor.code()
    const first = tokensOf(await token(tessera.url, form))
    tessera.clock.advance(120_000)
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, first.access_token)).status).toBe(401)
  })

  it.each([
    ['a wrong verifier', { code_verifier: 'b'.repeat(43) }],
    ['another client', { client_id: 'partner-portal' }],
    ['another redirect_uri', { redirect_uri: 'http://localhost:4001/callback' }],
  ])('does not let a thief with %s end the tokens of a used code', async (_, wrong) => {
    const form = await visitor.code()
    const first = tokensOf(await token(tessera.url, form))
    expect(refusalOf(await token(tessera.url, { ...form, ...wrong }))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, first.access_token)).status).toBe(200)
    expect((await refresh(tessera.url, first.refresh_token)).status).toBe(200)
  })

  it('takes a code in the last of its sixty thousand milliseconds', async () => {
    const form = await visitor.code()
    tessera.clock.advance(59_999)
    const tokens = tokensOf(await token(tessera.url, form))
    await verified(tessera, tokens.id_token, 'JWT')
  })

  it('refuses a code after sixty seconds', async () => {
    const form = await visitor.code()
    tessera.clock.advance(60_000)
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    // It was never exchanged, so nobody replayed it.
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
  })

  it('gives one of fifty parallel exchanges the tokens, and no other an error of its own', async () => {
    const form = await visitor.code()
    const answers = await Promise.all(Array.from({ length: 50 }, () => token(tessera.url, form)))
    expect(answers.filter((one) => one.status === 200)).toHaveLength(1)
    const refusals = answers.filter((one) => one.status !== 200).map(refusalOf)
    expect(new Set(refusals)).toEqual(new Set(['400 invalid_grant']))
    expect(refusals).toHaveLength(49)
    // The others were replays: what the one got is over, and there is one family of this code and no more.
    const winner = answers.find((one) => one.status === 200)
    expect(refusalOf(await refresh(tessera.url, String(winner?.json.refresh_token)))).toBe(
      '400 invalid_grant',
    )
  })

  it('redeems many codes at once, each to its own tokens', async () => {
    const other = new Visitor(tessera.url, people.admin)
    const forms = [await other.code()]
    for (let index = 0; index < 9; index++) forms.push(await other.code())
    const answers = await Promise.all(forms.map((form) => token(tessera.url, form)))
    const tokens = answers.map(tokensOf)
    expect(new Set(tokens.map((one) => one.refresh_token)).size).toBe(10)
    for (const one of tokens) expect((await userinfo(tessera.url, one.access_token)).status).toBe(200)
  })
})
