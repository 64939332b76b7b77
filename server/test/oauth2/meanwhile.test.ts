import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimsOf, people, profilesOfBoth, redirectUri } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  introspect,
  machine,
  machineToken,
  otherMachine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'
import { changeClient, switchAlone } from '../harness/states.ts'

const importerProfile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'
const acme = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01'
const globex = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01'
const intake = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02'

/** What can be switched off under a person's tokens, by its key and as a line of the declared file. */
const things = [
  ['user', 'importer@acme.example', '  - email: importer@acme.example'],
  ['profile', importerProfile, `      - uuid: ${importerProfile}`],
  ['role', 'importer', '  - code: importer'],
  ['organisation', acme, '  - code: acme'],
  ['unit', intake, '      - code: intake'],
  ['client', 'submissions-web', '  - client_id: submissions-web'],
] as const

onEachDatabase('switched off meanwhile', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeEach(() => {
    visitor = new Visitor(tessera.url)
  })
  // What a test switched off is on again for the next.
  let changed = false
  afterEach(async () => {
    if (changed) await apply()
  })
  const apply = async (...edits: [part: string, by: string][]) => {
    await applyChanged(tessera, ...edits)
    changed = edits.length > 0
  }

  describe.each(things)('a %s', (name, key, line) => {
    const refused = name === 'client' ? '401 invalid_client' : '400 invalid_grant'

    it('counts at once at exchange, refresh, userinfo and introspection', async () => {
      const form = await visitor.code()
      const tokens = await visitor.tokens()
      await switchAlone(tessera, [name, key], 0)
      expect(refusalOf(await token(tessera.url, form))).toBe(refused)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe(refused)
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      if (name !== 'organisation')
        expect(await introspect(tessera.url, tokens.access_token)).toEqual({ active: false })
      // It was refused, not used up: what is switched on again goes on.
      await switchAlone(tessera, [name, key], 1)
      expect((await token(tessera.url, form)).status).toBe(200)
      expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
    })

    onOne.it('ends its tokens for good when the declared file says so', async () => {
      const form = await visitor.code()
      const tokens = await visitor.tokens()
      await apply(disabled(line))
      expect(refusalOf(await token(tessera.url, form))).toBe(refused)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe(refused)
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      await apply()
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    })
  })

  it.each([
    ['client', '  - client_id: submissions-web'],
    ['role', '  - code: importer'],
  ])('an exchange beside the disabling of its %s gives nothing that works later', async (_name, line) => {
    const forms: Record<string, string>[] = []
    for (let count = 0; count < 30; count++) forms.push(await visitor.code())
    let over = false
    const disable = async () => {
      await apply(disabled(line))
      over = true
    }
    let disabling: Promise<void> | undefined
    const given: Record<string, string>[] = []
    let refused = 0
    for (const [index, form] of forms.entries()) {
      if (index === 3) disabling = disable()
      const answer = await token(tessera.url, form)
      if (answer.status === 200) given.push(tokensOf(answer))
      // Until a little after: more refusals of one address would be too many requests.
      else if (over && ++refused === 3) break
    }
    await disabling
    await apply()
    expect(given.length).toBeGreaterThan(0)
    for (const tokens of given) {
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    }
  })

  onOne.it('a machine that is disabled gets no token, and its old one is not active', async () => {
    const old = await machineToken(tessera.url)
    await apply(disabled('  - client_id: nightly-import'))
    const answer = await token(tessera.url, { grant_type: 'client_credentials', ...machine })
    expect(refusalOf(answer)).toBe('401 invalid_client')
    expect(await introspect(tessera.url, old)).toMatchObject({ error: 'invalid_client' })
  })

  onOne.it(
    'a machine that now acts for people does nothing by itself any more, with an old token either',
    async () => {
      const old = await machineToken(tessera.url, otherMachine)
      // The token counts, and is a machine's.
      expect((await userinfo(tessera.url, old)).status).toBe(403)
      await apply([
        'type: machine\n    client_secret: ledger-report-development-secret',
        'type: public\n    redirect_uris: [https://ledger.example/callback]\n    scope: openid service.api',
      ])
      expect((await userinfo(tessera.url, old)).status).toBe(401)
    },
  )

  it('a client that was a machine for a while has none of the tokens that it had for people', async () => {
    const tokens = await visitor.tokens()
    await apply([
      'type: public\n    first_party: true\n    redirect_uris: [http://127.0.0.1:4001/callback, http://localhost:4001/callback]\n    post_logout_redirect_uris: [http://127.0.0.1:4001/, http://localhost:4001/]\n    scope: openid email profile service.api',
      'type: machine\n    client_secret: a-secret-for-development-alone',
    ])
    await apply()
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
  })

  it('a public client that becomes one with a secret keeps its tokens, and needs the secret from then on', async () => {
    const secret = 'a-secret-for-development-alone'
    const asWeb: [string, string] = [
      'client_name: Submissions\n    type: public',
      `client_name: Submissions\n    type: web\n    client_secret: ${secret}`,
    ]
    const { refresh_token: token, access_token } = await visitor.tokens()
    await apply(asWeb)
    expect((await userinfo(tessera.url, access_token)).status).toBe(200)
    expect(refusalOf(await refresh(tessera.url, token))).toBe('401 invalid_client')
    const next = tokensOf(await refresh(tessera.url, token, { client_secret: secret }))
    // Without the need of a secret, whoever has the token could use it.
    await apply()
    expect(refusalOf(await refresh(tessera.url, next.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, next.access_token)).status).toBe(401)
    await visitor.tokens()
    const old = await refresh(tessera.url, next.refresh_token, { client_secret: secret })
    expect(refusalOf(old)).toBe('401 invalid_client')
  })

  onOne.it(
    'the tokens of a machine end for good when it becomes a client for people that keeps its secret',
    async () => {
      const old = await machineToken(tessera.url, otherMachine)
      await apply([
        'type: machine\n    client_secret: ledger-report-development-secret',
        'type: web\n    redirect_uris: [https://ledger.example/callback]\n    scope: openid service.api',
      ])
      const asked = { grant_type: 'client_credentials', ...otherMachine }
      expect(refusalOf(await token(tessera.url, asked))).toBe('400 unauthorized_client')
      await apply()
      expect((await userinfo(tessera.url, old)).status).toBe(401)
      await machineToken(tessera.url, otherMachine)
    },
  )

  it.each<[string, [part: string, by: string]]>([
    ['it', disabled('  - client_id: nightly-import')],
    ['its organisation', disabled('  - code: acme')],
    [
      'what acts by itself',
      [
        'type: machine\n    client_secret: nightly-import-development-secret',
        'type: public\n    redirect_uris: [https://nightly.example/callback]\n    scope: openid service.api',
      ],
    ],
  ])('the tokens of a machine end for good when the declared file ends %s', async (_name, ended) => {
    const old = await machineToken(tessera.url)
    const ofAnother = await machineToken(tessera.url, otherMachine)
    await apply(['client_name: Ledger report', 'client_name: Another name'])
    expect((await userinfo(tessera.url, old)).status).toBe(403)
    expect((await userinfo(tessera.url, ofAnother)).status).toBe(403)
    await apply(ended)
    expect((await userinfo(tessera.url, old)).status).toBe(401)
    expect((await userinfo(tessera.url, ofAnother)).status).toBe(403)
    await apply()
    expect((await userinfo(tessera.url, old)).status).toBe(401)
    expect(await introspect(tessera.url, old)).toEqual({ active: false })
    expect((await userinfo(tessera.url, await machineToken(tessera.url))).status).toBe(403)
  })

  onOne.it('a machine of a disabled organisation gets no token', async () => {
    await apply(disabled('  - code: acme'))
    const answer = await token(tessera.url, { grant_type: 'client_credentials', ...machine })
    expect(refusalOf(answer)).toBe('401 invalid_client')
  })

  it('a public client of a disabled organisation is inactive too', async () => {
    visitor = new Visitor(tessera.url, people.both)
    const tokens = await visitor.tokens({ profile_uuid: profilesOfBoth.bookkeeper })
    await changeClient(tessera, 'submissions-web', { organisation_uuid: globex })
    const form = await visitor.code()
    await switchAlone(tessera, ['organisation', globex], 0)
    expect(refusalOf(await token(tessera.url, form))).toBe('401 invalid_client')
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('401 invalid_client')
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    changed = true
  })

  onOne.it.each<[string, [part: string, by: string][], [part: string, by: string]]>([
    [
      'the organisation of a public client',
      [['    client_name: Submissions\n', '    client_name: Submissions\n    organisation: globex\n']],
      disabled('  - code: globex'),
    ],
    [
      'the time of a profile',
      [],
      [
        `      - uuid: ${importerProfile}`,
        `      - uuid: ${importerProfile}\n        expires_at: 2020-01-01`,
      ],
    ],
  ])('%s, when the declared file ends it, ends tokens for good', async (what, edits, ended) => {
    if (what.startsWith('the organisation')) visitor = new Visitor(tessera.url, people.both)
    await apply(...edits)
    const form = await visitor.code()
    const tokens = await visitor.tokens()
    await apply(...edits, ended)
    await apply(...edits)
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    // What is signed in afterwards counts.
    expect((await userinfo(tessera.url, (await visitor.tokens()).access_token)).status).toBe(200)
  })

  onOne.it('a permission that is taken from the role is gone at the next refresh', async () => {
    const first = await visitor.tokens()
    const both = 'permissions: [submissions-tool.vista-import.create, submissions-tool.vista-import.read]'
    await apply([both, 'permissions: [submissions-tool.vista-import.read]'])
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    expect(claimsOf(second.access_token).permissions).toEqual(['submissions-tool.vista-import.read'])
  })

  onOne.it(
    'a redirect URI that is taken from the client gets nothing for the codes that it was sent',
    async () => {
      const form = await visitor.code()
      await apply([`[${redirectUri}, `, '['])
      expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
      await apply()
      expect((await token(tessera.url, form)).status).toBe(200)
    },
  )

  onOne.it(
    'a scope that is taken from the client is gone at the exchange and at the next refresh',
    async () => {
      const form = await visitor.code()
      const first = await visitor.tokens()
      await apply(['scope: openid email profile service.api', 'scope: openid profile'])
      for (const answer of [
        await token(tessera.url, form),
        await refresh(tessera.url, first.refresh_token),
      ]) {
        const tokens = tokensOf(answer)
        expect(tokens.scope).toBe('openid profile')
        expect(claimsOf(tokens.access_token)).not.toHaveProperty('permissions')
        expect(claimsOf(tokens.id_token)).not.toHaveProperty('email')
        const wider = await refresh(tessera.url, tokens.refresh_token, { scope: 'openid service.api' })
        expect(refusalOf(wider)).toBe('400 invalid_scope')
      }
    },
  )

  onOne.it(
    'a service that is taken from the client is gone from the audience at the next refresh',
    async () => {
      const first = await visitor.tokens()
      await apply([
        'scope: openid email profile service.api\n    services: [submissions-tool]',
        'scope: openid email profile service.api',
      ])
      const second = claimsOf(tokensOf(await refresh(tessera.url, first.refresh_token)).access_token)
      expect(second).toMatchObject({ aud: tessera.url, permissions: [] })
    },
  )

  onOne.it('a grant that is taken from the client is unauthorized_client', async () => {
    const first = await visitor.tokens()
    await apply([
      '    services: [submissions-tool]\n  - client_id: partner-portal',
      '    services: [submissions-tool]\n    grant_types: [authorization_code]\n  - client_id: partner-portal',
    ])
    expect(refusalOf(await refresh(tessera.url, first.refresh_token))).toBe('400 unauthorized_client')
  })
})
