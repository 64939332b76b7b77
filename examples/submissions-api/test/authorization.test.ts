import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { audience, file, permissions, row, type Service, startService } from './service.ts'

let service: Service

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const [create, read] = permissions as [string, string]

it('the health probe is open', async () => {
  const answer = await fetch(`${service.url}/health`)
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
})

describe('401', () => {
  it('without a token: a bare challenge', async () => {
    const answer = await service.send(undefined, file(row()))
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('with a token that is not valid here', async () => {
    const { issuer } = service
    const wrong = [
      await issuer.expiredToken({ permissions }),
      await issuer.otherAudienceToken({ permissions }),
      await issuer.otherIssuerToken({ permissions }),
      await issuer.forgedToken({ permissions }),
      await issuer.idToken({ permissions, aud: audience }),
      'junk',
    ]
    for (const token of wrong) {
      const answer = await service.send(token, file(row()))
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
      expect((await service.list(token)).status).toBe(401)
    }
  })

  it('for what does not exist as well: who is unknown learns nothing', async () => {
    for (const path of ['/', '/nothing', '/other/vista-import', '/submissions/vista-import/1']) {
      expect((await fetch(service.url + path)).status).toBe(401)
    }
  })
})

describe('403', () => {
  it('without the permission, which the body names', async () => {
    const reader = await service.issuer.token({ permissions: [read] })
    const answer = await service.send(reader, file(row()))
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { error: 'insufficient_scope', permission: create },
    ])
    const importer = await service.issuer.token({ permissions: [create] })
    expect(await (await service.list(importer)).json()).toMatchObject({ permission: read })
    expect((await service.list(await service.issuer.token({ permissions: undefined }))).status).toBe(403)
  })

  it('before the body is read, or its type looked at', async () => {
    const reader = await service.issuer.token({ permissions: [read] })
    expect((await service.send(reader, '{', 'application/json')).status).toBe(403)
    expect((await service.send(reader, 'x', 'image/png')).status).toBe(403)
    expect((await service.send(reader, 'x'.repeat(2_000_000))).status).toBe(403)
  })

  it('for a method or path that has no entry', async () => {
    const headers = { authorization: `Bearer ${await service.issuer.token({ permissions })}` }
    for (const [method, path] of [
      ['PATCH', '/submissions/vista-import'],
      ['OPTIONS', '/submissions/vista-import'],
      ['GET', '/submissions/vista-import/'],
      ['GET', '//submissions/vista-import'],
      ['GET', '/submissions'],
      ['POST', '/health'],
    ] as const) {
      const answer = await fetch(service.url + path, { method, headers })
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        403,
        { error: 'unmapped_route' },
      ])
    }
  })
})

describe('withdrawing every import', () => {
  const withdraw = async (claims: Record<string, unknown>) => {
    const token = await service.issuer.token({ organisation_uuid: 'withdrawing', permissions, ...claims })
    const answer = await fetch(`${service.url}/submissions/vista-import`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    return { answer, json: (await answer.json()) as Record<string, unknown> }
  }
  const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

  it('wants a second factor that was proved just now, and says so', async () => {
    for (const claims of [
      { acr: '1', auth_time: ago(0) },
      { acr: undefined, auth_time: ago(0) },
      { acr: '2', auth_time: ago(400) },
      { acr: '2', auth_time: undefined },
    ]) {
      const { answer, json } = await withdraw(claims)
      expect([answer.status, json.error]).toEqual([401, 'insufficient_user_authentication'])
      expect(answer.headers.get('www-authenticate')).toMatch(/acr_values="2", max_age="300"/)
    }
    // No step-up would help these.
    const reader = await withdraw({ acr: '2', auth_time: ago(0), permissions: [read] })
    expect([reader.answer.status, reader.json.error]).toEqual([403, 'insufficient_scope'])
    const machine = await withdraw({ sub: 'nightly-import', client_id: 'nightly-import', acr: undefined })
    expect(machine.answer.status).toBe(403)
  })

  it('takes away those of the own organisation alone', async () => {
    const strong = { acr: 'phr', auth_time: ago(10) }
    const tokens = await Promise.all(
      ['withdrawing', 'staying'].map((organisation_uuid) =>
        service.issuer.token({ permissions, organisation_uuid }),
      ),
    )
    for (const token of tokens) expect((await service.send(token, file(row()))).status).toBe(201)
    expect((await withdraw(strong)).json).toEqual({ withdrawn: 1 })
    expect((await withdraw(strong)).json).toEqual({ withdrawn: 0 })
    const left = await Promise.all(tokens.map(async (token) => (await service.list(token)).json()))
    expect(left).toMatchObject([{ imports: [] }, { imports: [{ imported: 1 }] }])
    // What was withdrawn can be imported again.
    expect((await service.send(tokens[0], file(row()))).status).toBe(201)
  })
})

describe('404 after authorization', () => {
  it('for another area', async () => {
    const token = await service.issuer.token({ permissions })
    for (const path of ['/other/vista-import', '/Submissions/vista-import', '/submissions%20/vista-import']) {
      const answer = await service.send(token, 'not even JSON', 'application/json', path)
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'not_found' }])
      expect((await service.list(token, path)).status).toBe(404)
      expect((await service.list(await service.issuer.token({ permissions: [create] }), path)).status).toBe(
        403,
      )
    }
  })
})
