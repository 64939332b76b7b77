import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const all = () => ({ 'kratos.json': exported('kratos.json'), 'hydra.json': exported('hydra.json') })

describe('identities of Ory', () => {
  it('keep their id, hash, code and key', async () => {
    const { people } = await moved('ory', all(), { rpId: 'id.acme.example' })
    expect(people).toEqual([
      {
        uuid: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
        email: 'ana@file.example',
        email_verified: true,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        password_hash: '$2a$10$H2OLNJ8bYNZHP.hGiGV7BO2n7Hxkc0EIVdeUOGwUybZHDsydeeHua',
        totp_secret:
          'otpauth://totp/Acme:ana@file.example?algorithm=SHA1&digits=6&issuer=Acme&period=30&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        user_handle: 'n0JajX78R2iPI3ZHp0_fEw',
        passkeys: [
          { credential_id: 'AQIDBA', public_key: 'pQECAyYgASFYIA', rp_id: 'id.acme.example', sign_count: 4 },
        ],
        profiles: [{ role: 'member', organisation: 'ory' }],
      },
      expect.objectContaining({
        email: 'ben@file.example',
        active: false,
        email_verified: false,
        enrolment_required: true,
      }),
    ])
  })

  it('say what is missing, and the domain of passkeys', async () => {
    const { people, report } = await moved('ory', all())
    expect(people[0]).not.toHaveProperty('passkeys')
    expect(people[0]).not.toHaveProperty('enrolment_required')
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × The export does not say the domain of passkeys.*--rp-id.*ana@/),
        expect.stringMatching(/1\*\* × Recovery codes do not come along/),
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*google/),
        expect.stringMatching(/1\*\* × An entry of the people is not as Kratos writes it.*entry 3/),
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*cf425a8d/),
        expect.stringMatching(/1\*\* × The export does not name an organisation/),
        expect.stringMatching(/2\*\* × The export holds no secret of a client/),
        expect.stringMatching(/1\*\* × A machine has another client_id/),
        expect.stringMatching(/1\*\* × Only administrators edit an attribute.*metadata_public\.plan/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/\$2a|JBSWY|pQECAy/)
  })

  it('declare the clients of Hydra', async () => {
    const { declared } = await moved('ory', all())
    expect(declared.clients).toMatchObject([
      { client_id: 'd9a4e0f2-0d7b-4d5e-8e1f-0a3c6d4b2f11', type: 'web', first_party: true },
      { client_id: 'machine-e9a4e0f2-0d7b-4d5e-8e1f-0a3c6d4b2f11', type: 'machine' },
    ])
  })

  it.each([
    ['an error of the API', '{"error":{"code":404}}', /Nothing in x is of Ory/],
    ['Firebase', '[{"localId":"1","email":"a@b.example"}]', /looks like an export of Firebase/],
    ['an empty list', '[]', /Nothing in x is of Ory/],
    [
      'depths within an identity',
      `[{"id":"1","traits":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}]`,
      /nested deeper/,
    ],
  ])('refuse %s', async (_, content, says) => {
    await expect(moved('ory', { x: content })).rejects.toThrow(says)
  })

  it('leave out credentials of wrong types', async () => {
    const { people } = await moved(
      'ory',
      {
        x: JSON.stringify([
          {
            id: '1',
            state: 'active',
            traits: { email: 'a@file.example', name: 'A' },
            credentials: {
              password: { config: { hashed_password: 5 } },
              webauthn: { config: { credentials: [{ id: 1 }], user_handle: 'AA==' } },
            },
          },
        ]),
      },
      { rpId: 'id.acme.example' },
    )
    expect(people).toEqual([
      {
        former_sub: '1',
        email: 'a@file.example',
        email_verified: false,
        name: 'A',
        enrolment_required: true,
        profiles: [{ role: 'member', organisation: 'ory' }],
      },
    ])
  })
})
