import { describe, expect, it } from 'vitest'
import { exported, moved } from './support.ts'

const all = () => ({ 'dump.json': exported('django.json') })

describe('a dump of Django', () => {
  it('gives people with groups, which dissolve into permissions of their applications', async () => {
    const { people, declared } = await moved('django', all())
    expect(people).toEqual([
      {
        former_sub: '1',
        email: 'dj1@file.example',
        email_verified: true,
        name: 'Ana Ruiz',
        given_name: 'Ana',
        family_name: 'Ruiz',
        preferred_username: 'ana',
        password_hash:
          'pbkdf2_sha256$1000000$tf02lDTqm6dvnt8Jg0BdsI$T2jcx1ANJET+9aPz2k4QqwnNJ8nefXwSsWvXkwwx4vw=',
        totp_secret:
          'otpauth://totp/Django?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
        profiles: [{ role: 'clerks', organisation: 'django' }],
      },
      expect.objectContaining({
        former_sub: '2',
        active: false,
        email_verified: false,
        enrolment_required: true,
      }),
    ])
    expect(people[1]).not.toHaveProperty('password_hash')
    expect(people[1]).not.toHaveProperty('totp_secret')
    const clerks = declared.roles.find((one) => one.code === 'clerks')
    expect(clerks?.permissions).toEqual(['django.role.clerks', 'shop.role.add-order', 'shop.role.view-order'])
  })

  it('gives nothing of iam to superusers, and says so', async () => {
    const { report, declared } = await moved('django', all())
    expect(declared.roles.flatMap((one) => one.permissions).join(' ')).not.toMatch(/iam|superuser|staff/)
    expect(report).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/1\*\* × Somebody administered the other system.*dj2@/),
        expect.stringMatching(/1\*\* × Somebody signs in through another provider.*github/),
        expect.stringMatching(/1\*\* × A second factor does not come along.*webauthn/),
        expect.stringMatching(/1\*\* × Somebody has no e-mail address.*cem/),
        expect.stringMatching(/1\*\* × A group that somebody is in is not in the dump/),
        expect.stringMatching(/1\*\* × An entry is nothing of Django.*entry 15/),
      ]),
    )
    expect(report.join('\n')).not.toMatch(/pbkdf2|JBSW|4865/)
  })

  it('reads natural keys and a user model of its own', async () => {
    const { people, declared, report } = await moved('django', {
      'dump.json': JSON.stringify([
        {
          model: 'people.member',
          pk: '5f2f3c1e-8d0c-4f6b-9a53-0d9d4f3c2b1a',
          fields: {
            password: '',
            email: 'm@file.example',
            full_name: 'M M',
            groups: [['Clerks']],
            user_permissions: [['view_order', 'shop', 'order']],
          },
        },
        { model: 'auth.group', fields: { name: 'Clerks', permissions: [['add_order', 'shop', 'order']] } },
        {
          model: 'mfa.authenticator',
          pk: 1,
          fields: {
            user: ['m@file.example'],
            type: 'totp',
            data: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
          },
        },
      ]),
    })
    expect(people).toMatchObject([
      {
        uuid: '5f2f3c1e-8d0c-4f6b-9a53-0d9d4f3c2b1a',
        name: 'M M',
        email_verified: false,
        totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      },
    ])
    const [role] = (people[0]?.profiles ?? []) as { role: string }[]
    expect(declared.roles.find((one) => one.code === role?.role)?.permissions).toContain(
      'shop.role.view-order',
    )
    expect(report.join('\n')).toContain('does not say whose address is verified')
  })

  it.each([
    [
      'a dump of other models alone',
      '[{"model":"shop.order","pk":1,"fields":{}}]',
      /Nothing in x is of Django/,
    ],
    ['Keycloak', '{"realm":"acme","users":[]}', /looks like an export of Keycloak/],
    [
      'the dump of JSON lines with a broken one alone',
      '{"model": "auth.user", "pk": 1, "fields": {',
      /ends in the middle/,
    ],
    ['a list of numbers', '[1,2,3]', /Nothing in x.*no JSON object/],
  ])('refuses %s', async (_, content, says) => {
    await expect(moved('django', { x: content })).rejects.toThrow(says)
  })

  it('leaves out entries of wrong types, and circles nowhere', async () => {
    const { people, report } = await moved('django', {
      'dump.jsonl': [
        '{"model":"auth.user","pk":1,"fields":{"username":"a","email":"a@file.example","password":"x","is_active":[]}}',
        '{"model":"auth.user","pk":2,"fields":{"username":"b","email":"b@file.example","password":7,"groups":"all"}}',
        '{"model":"auth.group","pk":1,"fields":{"name":["Clerks"],"permissions":[]}}',
        '{"model":"auth.user","pk":{"__proto__":1},"fields":{}}',
        '{"model":"__proto__","pk":1,"fields":{}}',
      ].join('\n'),
    })
    expect(people.map((one) => one.email)).toEqual(['b@file.example'])
    expect(report.join('\n')).toMatch(/not as Django writes it.*line 1/)
    expect(report.join('\n')).toMatch(/3\*\* × An entry is nothing of Django/)
  })
})
