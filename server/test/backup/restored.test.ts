/** `tessera restored`: what has to follow when a database was restored by other means than `tessera restore`. */
import { afterAll, expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp, run } from '../harness/process.ts'
import { machineToken, refresh, refusalOf, token, userinfo, Visitor } from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'

afterAll(cleanUp)

onEachDatabase('tessera restored', (dialect) => {
  const tessera = tesseraOn(dialect)
  const restored = (...more: string[]) =>
    run(['restored', ...more], { environment: { TESSERA_DATABASE_URL: tessera.databaseUrl } })

  it('ends nothing without --yes', async () => {
    const { refresh_token: token } = await new Visitor(tessera.url).tokens()
    const { code, stderr } = await restored()
    expect([code, stderr]).toEqual([1, expect.stringContaining('--yes')])
    expect((await refresh(tessera.url, token)).status).toBe(200)
  })

  it('ends every session, token family, code and token of a machine, under running services too', async () => {
    const visitor = new Visitor(tessera.url)
    const unused = await visitor.code()
    const { refresh_token: refreshToken, access_token: access } = await visitor.tokens()
    expect((await userinfo(tessera.url, access)).status).toBe(200)
    const machine = await machineToken(tessera.url)
    expect((await userinfo(tessera.url, machine)).status).toBe(403)
    const { code, stdout } = await restored('--yes')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Ended \d+ sessions, \d+ token families, and the tokens of every machine/)
    expect((await userinfo(tessera.url, machine)).status).toBe(401)
    expect((await userinfo(tessera.url, await machineToken(tessera.url))).status).toBe(403)
    expect(refusalOf(await refresh(tessera.url, refreshToken))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, access)).status).toBe(401)
    expect(refusalOf(await token(tessera.url, unused))).toBe('400 invalid_grant')
    // The next visit is asked for the password.
    await expect(visitor.code()).rejects.toThrow('Sign in to')
  })

  it('is recorded, with who ran it and how much it ended', async () => {
    const records = await auditOf(tessera, { kind: 'database.restored' })
    expect(records).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ kind: 'command' }) as unknown,
        detail: { sessions: expect.any(Number) as unknown, families: expect.any(Number) as unknown },
      }),
    ])
  })
})
