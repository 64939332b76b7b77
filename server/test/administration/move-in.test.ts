/** Moving in over HTTP: what comes of an export as by the command, and for whom. */
import { expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { fileOf, filesOf, movingOn } from './move-in-support.ts'
import { acme, Administrator, heads, problemOf, recordsWith } from './support.ts'

onOneDatabase('moving in over HTTP', (dialect) => {
  const moving = movingOn(dialect)

  it.each(['keycloak', 'auth0', 'ldif'] as const)('%s gives what the command writes', async (source) => {
    await moving.nothingOf(async () => {
      const text = await moving.isAsByCommand(source)
      const planned = await moving.admin.post('/declared/plan', { text, file: `${source}.yaml` })
      expect(planned.status, planned.text).toBe(200)
    })
  })

  it('counts, and goes by a mapping, a prefix and the domain of passkeys', async () => {
    const files = filesOf('keycloak')
    const first = await moving.read('keycloak', files)
    expect(first.json.counts).toEqual({
      people: String(first.json.people).trimEnd().split('\n').length,
      clients: expect.any(Number),
      decide: expect.any(Number),
    })
    const mapping = String(first.json.mapping).replace('elsewhere: hafen', 'elsewhere: harbour')
    const { json } = await moving.read('keycloak', files, { mapping, rp_id: 'other.example' })
    expect(json.mapping).toContain('elsewhere: harbour')
    expect(json.declared).toContain('code: harbour')
    expect(json.people).toContain('"organisation":"harbour"')
    const { json: prefixed } = await moving.read('keycloak', files, { prefix: 'hh' })
    expect(prefixed.declared).toContain('code: hh-hafen\n')
    expect([first.json, json].map(({ people: rows }) => String(rows).includes('"passkeys"'))).toEqual([
      true,
      false,
    ])
  })

  it('is refused to everybody who does not administer everything, before it is read', async () => {
    const others = [
      await Administrator.machine(moving.tessera.url, 'acme-cli'),
      await Administrator.machine(moving.tessera.url, 'roles-cli'),
      await Administrator.machine(moving.tessera.url, 'onlooker-cli'),
      await Administrator.person(moving.tessera.url, heads.head),
      await Administrator.person(moving.tessera.url, heads.unitHead),
    ]
    const machine = await Administrator.machine(moving.tessera.url)
    const made = async (client_id: string, more: object) => {
      const { json, text } = await machine.post('/clients', {
        client_id,
        client_name: 'Moving',
        type: 'machine',
        services: ['iam'],
        ...more,
      })
      expect(json.client_secret, text).toBeDefined()
      const body = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id,
        client_secret: String(json.client_secret),
      })
      const answer = await fetch(`${moving.tessera.url}/oauth2/token`, { method: 'POST', body })
      return new Administrator(
        moving.tessera.url,
        ((await answer.json()) as { access_token: string }).access_token,
      )
    }
    const partly = [
      // All permissions within one organisation, and too few of the whole installation.
      await made('moving-acme', { permissions: ['iam.*'], organisation_uuid: acme }),
      await made('moving-files', { permissions: ['iam.declared.read', 'iam.declared.update'] }),
    ]
    await moving.nothingOf(async () => {
      for (const who of others) expect((await moving.read('keycloak', fileOf('{'), {}, who)).status).toBe(403)
      for (const who of partly)
        expect(problemOf(await moving.read('none', [], {}, who))).toBe('403 forbidden')
      const nobody = await fetch(`${moving.tessera.url}/admin/v1/move-in`, { method: 'POST', body: '{}' })
      expect(nobody.status).toBe(401)
    })
  })

  it('is done for one at a time, beside declared files', async () => {
    const lines = Array.from(
      { length: 500 },
      (_, at) => `{"user_id":"auth0|${at}","email":"p${at}@two.example","identities":[]}`,
    )
    const asked = async () => await moving.read('auth0', fileOf(lines.join('\n')))
    const plan = { text: 'roles: []\n', file: 'a.yaml' }
    const answers = await Promise.all([asked(), asked(), moving.admin.post('/declared/plan', plan)])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 503, 503])
    const busy = answers.find(({ status }) => status === 503)
    expect([busy && problemOf(busy), busy?.headers.get('retry-after')]).toEqual([
      '503 temporarily_unavailable',
      '5',
    ])
    expect((await asked()).status).toBe(200)
  })

  it('keeps nothing of what is read, and tells no audit', async () => {
    const before = (await recordsWith(moving.admin)).length
    await moving.nothingOf(async () => {
      for (const source of ['keycloak', 'ldif'] as const)
        expect((await moving.read(source, filesOf(source))).status).toBe(200)
      expect((await moving.read('keycloak', fileOf('{"realm":"a"'))).status).toBe(400)
    })
    expect((await recordsWith(moving.admin)).length).toBe(before)
  })

  it('gives what is applied and imported as it is', async () => {
    const { json } = await moving.read('keycloak', filesOf('keycloak'))
    const sent = { text: json.declared, file: 'keycloak.yaml' }
    const { json: planned } = await moving.admin.post('/declared/plan', sent)
    const applied = await moving.admin.post('/declared/apply', { ...sent, digest: planned.digest })
    expect(applied.status, applied.text).toBe(200)
    const rows = { name: 'people.jsonl', text: json.people }
    const { text } = await moving.admin.post('/imports?dry_run=true', rows)
    expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      kind: 'done',
      imported: 19,
      refused: 0,
    })
  })
})
