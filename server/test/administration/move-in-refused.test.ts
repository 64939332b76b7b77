/** Moving in over HTTP: each system, and all that is refused. */
import { expect, it } from 'vitest'
import { movedSystems } from '../../dist/protocol/move-in.js'
import { onOneDatabase } from '../harness/databases.ts'
import { exported } from '../move-in/support.ts'
import { fileOf, filesOf, movingOn, told } from './move-in-support.ts'
import { problemOf } from './support.ts'

const mebibyte = 1024 * 1024

onOneDatabase('moving in over HTTP', (dialect) => {
  const moving = movingOn(dialect)

  // The others: move-in.test.ts.
  const elsewhere: readonly string[] = ['keycloak', 'auth0', 'ldif']
  it.each(movedSystems.filter((one) => !elsewhere.includes(one)))(
    '%s gives what the command writes',
    async (source) => {
      await moving.isAsByCommand(source)
    },
  )

  it.each([
    ['an unknown system', 'entra', fileOf('{}'), {}, '400 invalid_request source'],
    ['no file', 'keycloak', [], {}, '400 invalid_request files'],
    ['a folder', 'keycloak', fileOf('{}', '../realm.json'), {}, '400 invalid_request files.0.name'],
    ['an absolute name', 'keycloak', fileOf('{}', '/etc/passwd'), {}, '400 invalid_request files.0.name'],
    ['a file without its text', 'keycloak', [{ name: 'a.json' }], {}, '400 invalid_request files.0.text'],
    [
      'a path in place of a text',
      'keycloak',
      [{ name: 'a', path: '/etc/passwd' }],
      {},
      /files\.0\.(text|path)/,
    ],
    ['a prefix that is no code', 'keycloak', fileOf('{}'), { prefix: 'A b' }, '400 invalid_request prefix'],
    ['a long prefix', 'keycloak', fileOf('{}'), { prefix: 'x'.repeat(21) }, '400 invalid_request prefix'],
    ['a mapping that is no text', 'keycloak', fileOf('{}'), { mapping: {} }, '400 invalid_request mapping'],
    ['a word that nobody knows', 'keycloak', fileOf('{}'), { out: '/tmp' }, '400 invalid_request out'],
  ])('refuses %s', async (_, source, files, more, problem) => {
    expect(problemOf(await moving.read(source, files, more))).toMatch(problem)
  })

  it.each([
    ['keycloak', 'Nothing at all', /^files 0: export\.json: It is/],
    ['keycloak', '{"realm":"a","users":[', /export\.json: It ends in the middle: the export is not whole/],
    ['keycloak', '{"realm":"a","clients":7}', /export\.json: "clients" is not as Keycloak writes it/],
    ['keycloak', '[{"user_id":"1","identities":[]}]', /it has no "realm"/],
    ['okta', '[{"id":"1","traits":{}}]', /looks like an export of Ory/],
    ['auth0', exported('keycloak-hafen.json'), /looks like an export of Keycloak/],
    ['ldif', '{}', /export\.json: It is no LDIF/],
    ['django', 'dn: uid=a\nuid: a\n', /export\.json: It looks like LDIF: name the source ldif/],
    ['ory', ' ', /export\.json: It is empty/],
  ])('tells with file and place what can not be read of %s: %#', async (source, text, says) => {
    const answer = await moving.read(source, fileOf(text))
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
    expect(told(answer)).toMatch(says)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('marks the lines of a mapping that are wrong', async () => {
    const answer = await moving.read('keycloak', filesOf('keycloak'), {
      mapping: 'elsewhere: harbour\npermisions: {}\nroles: 7\n',
    })
    expect(problemOf(answer)).toMatch(/^400 invalid_request mapping/)
    expect(told(answer)).toMatch(/^mapping 2: .*\nmapping 3: /)
  })

  const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]\n${Array.from(
    'bcdefghijk',
    (name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[index]}`).join(', ')}]\n`,
  ).join('')}`
  it.each([
    ['aliases that unfold without end', bomb],
    ['a depth that no reader stands', `roles: ${'['.repeat(100_000)}`],
    ['a text that is too long', `roles: ${'x'.repeat(200_000)}`],
    ['a tag that makes something', 'elsewhere: !!js/function "process.exit()"\n'],
    ['two documents', 'elsewhere: a\n---\nelsewhere: b\n'],
    ['names of prototypes', '__proto__: {elsewhere: a}\n'],
  ])('refuses a mapping of %s', async (_, mapping) => {
    expect(problemOf(await moving.read('keycloak', filesOf('keycloak'), { mapping }))).toMatch(
      /^400 invalid_request mapping/,
    )
  })

  it('is not brought down by an export that is deep, or wide', async () => {
    const deep = '['.repeat(200_000)
    expect(told(await moving.read('keycloak', fileOf(`{"realm":"a","roles":${deep}`)))).toMatch(
      /nested deeper than 100/,
    )
    for (const source of ['auth0', 'django', 'keycloak'])
      expect([200, 400], source).toContain(
        (
          await moving.read(
            source,
            fileOf(`{"username":"a","user_id":"b","x":${deep}${']'.repeat(200_000)}}\n{}\n`),
          )
        ).status,
      )
    // Each role holds the next, and each person the first.
    const roles = Array.from({ length: 1000 }, (_, at) => ({
      name: `r${at}`,
      composites: { realm: [`r${at + 1}`] },
    }))
    const users = Array.from({ length: 100 }, (_, at) => ({
      id: `${String(at).padStart(8, '0')}-1111-4111-8111-111111111111`,
      username: `p${at}`,
      email: `p${at}@chain.example`,
      realmRoles: [`r${at}`],
    }))
    const chain = await moving.read(
      'keycloak',
      fileOf(JSON.stringify({ realm: 'chain', roles: { realm: roles }, users })),
    )
    expect([200, 400, 409]).toContain(chain.status)
    expect((await moving.read('okta', filesOf('okta'))).status).toBe(200)
  }, 120_000)

  it('takes 20 MiB and no more', async () => {
    const person = (at: number) =>
      JSON.stringify({
        user_id: `auth0|${at}`,
        email: `p${at}@many.example`,
        email_verified: true,
        identities: [],
      })
    const lines = Array.from({ length: 5000 }, (_, at) => person(at)).join('\n')
    const many = await moving.read('auth0', fileOf(lines, 'people.ndjson'))
    expect([many.status, many.json.counts]).toEqual([
      200,
      { people: 5000, clients: 0, decide: expect.any(Number) },
    ])
    const large = await moving.read('auth0', fileOf('x'.repeat(20 * mebibyte)))
    expect(problemOf(large)).toBe('413 request_too_large')
    expect(large.json.detail).toMatch(/use tessera move-in/)
  }, 120_000)
})
