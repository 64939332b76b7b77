import { beforeAll, expect, it } from 'vitest'
import { post } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { refresh, refusalOf, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'

onEachDatabase('refresh rotation', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    tessera.clock.stop()
    visitor = new Visitor(tessera.url)
  })

  const next = async (refreshToken: string | undefined) =>
    tokensOf(await refresh(tessera.url, refreshToken)).refresh_token
  const replays = () => auditOf(tessera, { kind: 'refresh_token.replayed' })

  it('gives a retry within ten seconds the same successor', async () => {
    const { refresh_token } = await visitor.tokens()
    const successor = await next(refresh_token)
    expect(successor).not.toBe(refresh_token)
    tessera.clock.advance(9999)
    expect(await next(refresh_token)).toBe(successor)
    // The retry did not replace the successor, nor does it prolong the grace.
    expect(await next(successor)).not.toBe(successor)
  })

  it('gives fifty parallel refreshes one successor, and none an error', async () => {
    const { refresh_token } = await visitor.tokens()
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(tessera.url, refresh_token)))
    expect(answers.filter((one) => one.status !== 200).map((one) => one.text)).toEqual([])
    const successors = new Set(answers.map((one) => one.json.refresh_token))
    expect(successors.size).toBe(1)
    const accessTokens = answers.map((one) => String(one.json.access_token))
    expect((await userinfo(tessera.url, accessTokens[0])).status).toBe(200)
    expect((await userinfo(tessera.url, accessTokens[49])).status).toBe(200)
    const [successor] = successors
    tessera.clock.advance(60_000)
    expect((await refresh(tessera.url, String(successor))).status).toBe(200)
  })

  it.each([
    ['its last character', (token: string) => token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')],
    [
      'its rotating part',
      (token: string) => token.replace(/\.[^.]{43}\.([^.]{22})$/, `.${'x'.repeat(43)}.$1`),
    ],
    ['its family part', (token: string) => token.replace(/\.[^.]{43}\./, `.${'x'.repeat(43)}.`)],
    ['a character more', (token: string) => `${token}x`],
  ])('takes a token that was spoilt in %s for none, and the right one lives on', async (_, spoil) => {
    const { refresh_token: right = '' } = await visitor.tokens()
    expect(refusalOf(await refresh(tessera.url, spoil(right)))).toBe('400 invalid_grant')
    const revocation = { client_id: 'submissions-web', token: spoil(right) }
    expect((await post(`${tessera.url}/oauth2/revoke`, revocation)).status).toBe(200)
    expect((await refresh(tessera.url, right)).status).toBe(200)
  })

  it('ends the family of a token that is replayed after ten seconds, and that one only', async () => {
    const before = (await replays()).length
    const other = await visitor.tokens()
    const stolen = await visitor.tokens()
    const current = tokensOf(await refresh(tessera.url, stolen.refresh_token))
    tessera.clock.advance(10_000)
    expect(refusalOf(await refresh(tessera.url, stolen.refresh_token))).toBe('400 invalid_grant')

    expect(refusalOf(await refresh(tessera.url, current.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, current.access_token)).status).toBe(401)
    expect((await userinfo(tessera.url, other.access_token)).status).toBe(200)
    expect((await refresh(tessera.url, other.refresh_token)).status).toBe(200)
    // The person is still signed in: a new authorization goes straight through.
    expect((await userinfo(tessera.url, (await visitor.tokens()).access_token)).status).toBe(200)

    const rows = await replays()
    expect(rows).toHaveLength(before + 1)
    expect(rows.at(-1)).toMatchObject({
      client_id: 'submissions-web',
      user_uuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
      sid: expect.any(String),
    })
    expect(rows.at(-1)?.target?.id).toBe(stolen.refresh_token?.split('.')[0])
    expect(JSON.stringify(rows.at(-1))).not.toContain(stolen.refresh_token?.split('.')[1])
  })

  it('tells of a replay once, however often it is tried', async () => {
    const { refresh_token } = await visitor.tokens()
    await next(refresh_token)
    tessera.clock.advance(11_000)
    const before = (await replays()).length
    await Promise.all(Array.from({ length: 10 }, () => refresh(tessera.url, refresh_token)))
    expect((await replays()).length).toBe(before + 1)
  })

  it('does not end a family when another client replays its token', async () => {
    const { refresh_token } = await visitor.tokens()
    const current = await next(refresh_token)
    tessera.clock.advance(11_000)
    const thief = await refresh(tessera.url, refresh_token, { client_id: 'partner-portal' })
    expect(refusalOf(thief)).toBe('400 invalid_grant')
    expect((await refresh(tessera.url, current)).status).toBe(200)
  })

  it('does not fork a family by a token that is two steps back within the grace', async () => {
    const { refresh_token: first } = await visitor.tokens()
    const second = await next(first)
    const third = await next(second)
    // Whatever the retries of both are given leads to the one current token.
    expect(await next(second)).toBe(third)
    const again = await next(first)
    expect([second, third]).toContain(again)
    tessera.clock.advance(11_000)
    expect((await refresh(tessera.url, third)).status).toBe(200)
  })

  it('takes a token that was replaced before the clock was set back for replayed', async () => {
    const { refresh_token: stolen } = await visitor.tokens()
    const current = await next(stolen)
    tessera.clock.advance(600_000 - 3_600_000)
    expect(refusalOf(await refresh(tessera.url, stolen))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, current))).toBe('400 invalid_grant')
    // The clock of another machine is behind by less.
    const retried = await visitor.tokens()
    const successor = await next(retried.refresh_token)
    tessera.clock.advance(-59_000)
    expect(await next(retried.refresh_token)).toBe(successor)
    tessera.clock.advance(3_059_000)
  })

  it('counts a token two steps back as replayed once its own grace is over', async () => {
    const { refresh_token: first } = await visitor.tokens()
    const second = await next(first)
    tessera.clock.advance(8000)
    const third = await next(second)
    tessera.clock.advance(3000)
    expect(await next(second)).toBe(third)
    expect(refusalOf(await refresh(tessera.url, first))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, third))).toBe('400 invalid_grant')
  })

  it('keeps twenty replaced tokens within the grace: an older one counts as replayed', async () => {
    const { refresh_token: first } = await visitor.tokens()
    let current = first
    for (let count = 0; count < 20; count++) current = await next(current)
    expect((await refresh(tessera.url, first)).status).toBe(200)
    current = await next(current)
    expect(refusalOf(await refresh(tessera.url, first))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, current))).toBe('400 invalid_grant')
  })

  it('keeps one line of successors while clients rotate and retry at random', async () => {
    const { refresh_token } = await visitor.tokens()
    let tokens = [refresh_token]
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          refresh(tessera.url, tokens[tokens.length - 1 - (index % Math.min(2, tokens.length))]),
        ),
      )
      expect(new Set(answers.map((one) => one.status))).toEqual(new Set([200]))
      const newest = answers
        .map((one) => String(one.json.refresh_token))
        .filter((one) => !tokens.includes(one))
      expect(new Set(newest).size).toBe(1)
      tokens = [...tokens, newest[0]]
    }
    expect((await refresh(tessera.url, tokens.at(-1))).status).toBe(200)
  })
})
