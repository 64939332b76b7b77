import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const tables = ['users', 'roles', 'users_roles', 'organizations', 'organization_user_relations']
const further = ['organization_role_user_relations', 'applications', 'application_secrets']
const all = () =>
  Object.fromEntries([...tables, ...further].map((one) => [`${one}.jsonl`, exported(`logto-${one}.jsonl`)]))

describe('the tables of Logto', () => {
  it('keep hash, code, key, role and organisation of people', async () => {
    const { people } = await moved('logto', all(), { rpId: 'id.acme.example' })
    expect(people).toEqual([
      {
        former_sub: 'a1b2c3d4e5f6',
        email: 'ana@file.example',
        email_verified: false,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        preferred_username: 'ana',
        locale: 'de-DE',
        password_hash:
          '$argon2i$v=19$m=4096,t=256,p=1$c2FsdHNhbHRzYWx0c2E$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
        totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        user_handle: Buffer.from('a1b2c3d4e5f6').toString('base64url'),
        passkeys: [
          {
            credential_id: 'AQIDBA',
            public_key: 'pQECAyYgASFYIA',
            rp_id: 'id.acme.example',
            sign_count: 3,
            transports: ['internal'],
          },
        ],
        profiles: [{ role: 'editor', organisation: 'o1' }],
      },
      expect.objectContaining({ email: 'ben@file.example', active: false }),
    ])
    expect(people[1]).not.toHaveProperty('password_hash')
  })

  it('declare applications with the secret of its own table', async () => {
    const { declared } = await moved('logto', all())
    expect(declared.clients).toEqual([
      expect.objectContaining({
        client_id: 'shop0000000000000000a',
        type: 'web',
        client_secret_hash: expect.stringMatching(/^sha256:/),
        first_party: true,
      }),
    ])
    expect(declared.organisations).toContainEqual(expect.objectContaining({ code: 'o1', name: 'Acme North' }))
  })

  it('tell what does not come along', async () => {
    const { people, report } = await moved('logto', all())
    expect(people[1]).toMatchObject({ enrolment_required: true })
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/2\*\* × The export does not say the domain of passkeys.*--rp-id/),
        expect.stringMatching(/1\*\* × Recovery codes do not come along/),
        expect.stringMatching(/1\*\* × The hash of a password is of a form that is not here.*MD5/),
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*google/),
        expect.stringMatching(
          /1\*\* × A role within one organisation is not given by itself.*Acme North, or1/,
        ),
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*cem/),
        expect.stringMatching(/1\*\* × An entry of the people is not as Logto writes it.*line 4/),
        expect.stringMatching(/1\*\* × An application of a kind that is not here.*SAML/),
        expect.stringMatching(/1\*\* × Logto does not tell whose address is verified/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/argon2i\$|5f4dcc|JBSWY|abcdefghijkl/)
  })

  it('are CSV with objects as text, or answers of the Management API', async () => {
    const { people, report } = await moved('logto', {
      'users.csv': `id,primary_email,password_encrypted,password_encryption_method,is_suspended,profile,mfa_verifications\nx1,x@file.example,$2b$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua,Bcrypt,f,"{""givenName"":""X""}","[{""type"":""Totp"",""key"":""JBSWY3DPEHPK3PXPJBSWY3DP""}]"\n`,
      'api.json':
        '[{"id":"y1","primaryEmail":"y@file.example","name":"Y","identities":{},"isSuspended":false,"hasPassword":true,"mfaVerificationFactors":["Totp"]}]',
    })
    expect(people).toMatchObject([
      {
        former_sub: 'x1',
        given_name: 'X',
        totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DP',
        password_hash: expect.stringMatching(/^\$2b/),
      },
      { former_sub: 'y1', enrolment_required: true },
    ])
    expect(report.join('\n')).toContain('The Management API holds no hashes')
  })

  it.each([
    ['a table that is none of it', '{"id":"x","tenant_id":"default"}', /Nothing in x is of Logto/],
    ['ZITADEL', '{"result":[{"userId":"1","human":{}}]}', /Nothing in x is of Logto/],
    [
      'factors that are no list',
      '{"id":"1","primary_email":"a@b.example","mfa_verifications":{"type":"Totp"}}\n[]',
      /./,
    ],
  ])('refuse %s', async (name, content, says) => {
    if (name.startsWith('factors')) {
      const { people, report } = await moved('logto', { x: content })
      expect([people, report.join('\n')]).toEqual([
        [],
        expect.stringMatching(/not as Logto writes it.*x, line 1/),
      ])
    } else await expect(moved('logto', { x: content })).rejects.toThrow(says)
  })
})
