import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const names = ['aspnet-users.csv', 'aspnet-roles.csv', 'aspnet-user-roles.csv', 'aspnet-user-tokens.csv']
const all = () => Object.fromEntries(names.map((one) => [one, exported(one)]))

describe('the tables of ASP.NET Identity', () => {
  it('keep the id, the hash, the role and the authenticator app that was turned on', async () => {
    const { people } = await moved('aspnet-identity', all())
    expect(people).toEqual([
      {
        uuid: '8c6d3f60-6e0b-4c47-9a0c-2b6b0f4f8a11',
        email: 'ana@file.example',
        email_verified: true,
        name: 'ana@file.example',
        password_hash: 'AQAAAAIAAYagAAAAEAECAwQFBgcICQoLDA0ODxAkQ3o0sRBzOVpTfPp9YnJhBfJ0S8m3dXGx0lTTN1m0Wg==',
        totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        profiles: [{ role: 'admin', organisation: 'aspnet-identity' }],
      },
      expect.objectContaining({ email: 'ben@file.example', active: false, enrolment_required: true }),
      expect.objectContaining({ email: 'cem@file.example' }),
    ])
    expect(people[2]).not.toHaveProperty('active')
    expect(people[2]).not.toHaveProperty('totp_secret')
  })

  it('tell what is to be decided', async () => {
    const { report } = await moved('aspnet-identity', all())
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × Somebody was locked out until a time.*cem@/),
        expect.stringMatching(
          /1\*\* × A role that somebody holds is not in the export: add AspNetRoles.*ben@/,
        ),
        expect.stringMatching(/2\*\* × Somebody has nothing to sign in with/),
        expect.stringMatching(/1\*\* × An entry of the people is not as ASP\.NET Identity writes it.*line 5/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/AQAAAA|JBSWY|11111/)
  })

  it('are one JSON object, or UTF-16 of PowerShell', async () => {
    const json = JSON.stringify(
      {
        AspNetUsers: [
          {
            Id: 7,
            UserName: 'a',
            Email: 'a@file.example',
            EmailConfirmed: true,
            PasswordHash: 'AA==',
            LockoutEnd: null,
          },
        ],
        AspNetUserClaims: [{ Id: 1, UserId: '7', ClaimType: 'department', ClaimValue: 'north' }],
        AspNetUserLogins: [
          { UserId: '7', LoginProvider: 'Google', ProviderKey: '1', ProviderDisplayName: 'Google' },
        ],
      },
      null,
      2,
    )
    const { people, report, mapping } = await moved('aspnet-identity', {
      'all.json': Buffer.from(`\uFEFF${json}`, 'utf16le'),
    })
    expect(people).toMatchObject([{ former_sub: '7', email: 'a@file.example', email_verified: true }])
    expect(report.join('\n')).toContain('a@file.example: Google')
    expect(mapping).toMatch(/department:\n {4}editable_by_people: no/)
  })

  it('say which table is missing', async () => {
    const { report } = await moved('aspnet-identity', {
      u: exported('aspnet-users.csv'),
      r: exported('aspnet-roles.csv'),
    })
    expect(report.join('\n')).toContain('No file says who holds which role: add AspNetUserRoles.')
  })

  it.each([
    ['rows without names of columns', '1,ana,ANA,a@b.example\n', /Nothing in x is of ASP\.NET Identity/],
    ['Django', '[{"model":"auth.user","pk":1,"fields":{}}]', /looks like an export of Django/],
    ['a table that is none of it', 'Id,Title\n1,x\n', /Nothing in x/],
    ['a zip', 'PK\u0003\u0004xx', /unzip/],
  ])('refuse %s', async (_, content, says) => {
    await expect(moved('aspnet-identity', { x: content })).rejects.toThrow(says)
  })
})
