import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const hash = '$2b$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua'
const all = () => ({
  'profiles.ndjson': exported('auth0-profiles.ndjson'),
  'hashes.ndjson': exported('auth0-hashes.ndjson'),
  'apps.json': exported('auth0-apps.json'),
})

describe('an export of Auth0', () => {
  it('gives each person the hash of the other file, by their id', async () => {
    const { people } = await moved('auth0', all())
    expect(people).toEqual([
      {
        former_sub: 'auth0|000000000000000000000001',
        email: 'ana@file.example',
        email_verified: true,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        picture: 'https://s.gravatar.com/avatar/0.png',
        password_hash: hash,
        enrolment_required: true,
        profiles: [{ role: 'editor-reader', organisation: 'acme-prod' }],
      },
      expect.objectContaining({ former_sub: 'google-oauth2|1234567890', email_verified: true }),
      expect.objectContaining({
        former_sub: 'auth0|000000000000000000000003',
        active: false,
        email_verified: false,
      }),
      expect.objectContaining({ former_sub: 'auth0|000000000000000000000009', password_hash: hash }),
    ])
    expect(people[1]).not.toHaveProperty('password_hash')
  })

  it('is the same in any order of the files', async () => {
    const { 'profiles.ndjson': profiles, 'hashes.ndjson': hashes } = all()
    const { lines } = await moved('auth0', { a: profiles, b: hashes })
    const other = await moved('auth0', { a: hashes, b: profiles })
    expect(other.lines.toSorted()).toEqual(lines.toSorted())
  })

  it('declares applications with their id and the hash of their secret', async () => {
    const { declared } = await moved('auth0', all())
    const [shop, ledger, nightly, ...others] = declared.clients
    expect(shop).toMatchObject({
      client_id: 'AaMiYn0000000000000000000000spa1',
      type: 'public',
      redirect_uris: ['https://shop.example/callback'],
      allowed_origins: ['https://shop.example'],
    })
    expect(ledger).toMatchObject({ type: 'web', client_secret_hash: expect.stringMatching(/^sha256:/) })
    expect(nightly).toMatchObject({ type: 'machine', client_name: 'Nightly' })
    expect(others).toEqual([])
  })

  it('tells what does not come along, and no secret', async () => {
    const { report, lines } = await moved('auth0', all())
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*`sms\|/),
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*google-oauth2/),
        expect.stringMatching(/1\*\* × A second factor does not come along.*guardian/),
        expect.stringMatching(/1\*\* × The export holds no hash of a password.*cem@file/),
        expect.stringMatching(/1\*\* × A redirect URI has a wildcard.*\*\.preview/),
        expect.stringMatching(/1\*\* × A client secret has less than 128 bits/),
        expect.stringMatching(/1\*\* × A client may use a grant.*implicit/),
        expect.stringMatching(/1\*\* × Only administrators edit an attribute.*app_metadata\.plan/),
        expect.stringMatching(/1\*\* × People can edit an attribute.*user_metadata\.colour/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/\$2b\$|0123456789012345/)
    expect(lines.join('\n')).not.toContain('"plan"')
  })

  it('takes codes and hashes from a file of the import, and CSV', async () => {
    const { people } = await moved('auth0', {
      'import.json': JSON.stringify([
        {
          email: 'eva@file.example',
          user_id: 'eva',
          custom_password_hash: {
            algorithm: 'argon2',
            hash: { value: '$argon2id$v=19$m=4096,t=3,p=1$c2FsdA$aGFzaA' },
          },
          mfa_factors: [{ totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DP' } }, { phone: { value: '+4900' } }],
        },
      ]),
      'export.csv':
        'user_id,email,email_verified,identities[0].provider,identities[0].connection,app_metadata\n' +
        `github|7,fay@file.example,true,github,github,"{""roles"":[""reader""]}"\n`,
    })
    expect(people[0]).toMatchObject({
      former_sub: 'auth0|eva',
      password_hash: '$argon2id$v=19$m=4096,t=3,p=1$c2FsdA$aGFzaA',
      totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DP',
    })
    expect(people[0]).not.toHaveProperty('enrolment_required')
    expect(people[1]).toMatchObject({
      former_sub: 'github|7',
      email_verified: true,
      profiles: [{ role: 'reader' }],
    })
  })

  it.each([
    ['nothing', '', /x: It is empty/],
    ['a gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0]), /gunzip/],
    ['one that ends early', '[{"user_id":"a"', /ends in the middle/],
    [
      'another system',
      '{"users":[{"localId":"x","email":"a@b.example"}]}',
      /of Auth0\. It looks like an export of Firebase/,
    ],
    ['LDIF', 'dn: uid=ana,dc=x\nuid: ana\n', /looks like LDIF/],
    ['an endless line', `{"user_id":"${'a'.repeat(4_000_000)}`, /./],
    ['depths', `[${'{"a":'.repeat(500)}1${'}'.repeat(500)}]`, /nested deeper/],
    ['Latin-1', Buffer.from('[{"user_id":"\xE4"}]', 'latin1'), /not UTF-8/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('auth0', { x: content })).rejects.toThrow(says)
  })

  it('leaves out what may mean either, and goes on', async () => {
    const { people, report } = await moved('auth0', {
      'x.ndjson': [
        '{"user_id":"auth0|1","email":"a@file.example","blocked":"perhaps"}',
        '{"user_id":"auth0|2","email":"b@file.example","email":"c@file.example"}',
        '{"user_id":"auth0|3","email":{"toString":"d@file.example"}}',
        '{"user_id":"auth0|4","email":"e@file.example","email_verified":true,"__proto__":{"blocked":false},"app_metadata":{"__proto__":{"roles":["iam"]},"roles":"iam.*"}}',
        '{"user_id":"auth0|5","email":"E@file.example"}',
        '[1]',
        'null',
      ].join('\n'),
    })
    expect(people.map((one) => one.email)).toEqual(['e@file.example'])
    expect(people[0]).toMatchObject({ profiles: [{ role: 'member' }] })
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × An entry of the people is not as Auth0 writes it.*line 1/),
        expect.stringMatching(
          /1\*\* × An entry can not be read, and is left out\. The name "…" is there twice/,
        ),
        expect.stringMatching(/2\*\* × An entry can not be read, and is left out\. It is no JSON object/),
        expect.stringMatching(/1\*\* × An address is of several people/),
      ]),
    )
  })
})
