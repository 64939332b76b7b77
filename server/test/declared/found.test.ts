import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, acme, administrators, globex, startAdministered } from '../administration/support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { applyChanged } from './change.ts'

/** Where people are found, and by which words, after a file changed them. */

const atAcme = '{ role: reader, organisation: acme }'
const atIntake = '{ role: reader, organisation: acme, unit: intake }'
const atGlobex = '{ role: reader, organisation: globex }'
const intake = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02'
const finance = '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03'

interface Described {
  email?: string
  name?: string
  active?: boolean
  profiles?: string[]
  more?: [string, string][]
}

onEachDatabase('people that a file changes', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.machine(tessera.url)
  })
  afterAll(() => tessera?.close())

  let count = 0
  async function declare(
    uuid: string,
    { email = `found${count}@many.example`, name = 'Mara Lind', active = true, ...rest }: Described,
  ): Promise<void> {
    const { profiles = [atAcme], more = [] } = rest
    const user = `{ uuid: ${uuid}, email: ${email}, name: ${name}, active: ${active}, profiles: [${profiles.join()}] }`
    await applyChanged(tessera, ...administrators, ['users:\n', `users:\n  - ${user}\n`], ...more)
  }

  const everywhere = ''
  const at = (organisation: string, unit?: string) =>
    `&organisation_uuid=${organisation}${unit === undefined ? '' : `&organisation_unit_uuid=${unit}`}`

  it.each<[string, Described, Described, [q: string, where: string, isFound: boolean][]]>([
    [
      'have another role at the same place',
      { profiles: [atAcme] },
      { profiles: [atAcme.replace('reader', 'bookkeeper')] },
      [
        ['lind', everywhere, true],
        ['lind', at(acme), true],
        ['lind', `${at(acme)}&active=true`, true],
        ['lind', at(globex), false],
      ],
    ],
    [
      'have another role and another name',
      {},
      { name: 'Mara Berg', profiles: [atAcme.replace('reader', 'bookkeeper')] },
      [
        ['berg', everywhere, true],
        ['berg', at(acme), true],
        ['lind', at(acme), false],
        ['lind', everywhere, false],
      ],
    ],
    [
      'have another name',
      { profiles: [atIntake] },
      { name: 'Mara Berg', profiles: [atIntake] },
      [
        ['berg', everywhere, true],
        ['berg', at(acme, intake), true],
        ['lind', at(acme, intake), false],
        ['mara', at(acme), true],
      ],
    ],
    [
      'have another address',
      {},
      { email: 'zoe@many.example' },
      [
        ['zoe@', at(acme), true],
        ['found', at(acme), false],
        ['lind', at(acme), true],
      ],
    ],
    [
      'are disabled',
      {},
      { active: false },
      [
        ['lind', `${at(acme)}&active=true`, false],
        ['lind', `${at(acme)}&active=false`, true],
        ['lind', '&active=true', false],
        ['', `${at(acme)}&active=true`, false],
        ['', `${at(acme)}&active=false`, true],
      ],
    ],
    [
      'are disabled, renamed and moved',
      {},
      { active: false, name: 'Mara Berg', profiles: [atGlobex] },
      [
        ['berg', `${at(globex)}&active=false`, true],
        ['mara', at(acme), false],
        ['lind', everywhere, false],
      ],
    ],
    [
      'move to another organisation',
      {},
      { profiles: [atGlobex] },
      [
        ['lind', at(acme), false],
        ['lind', at(globex), true],
      ],
    ],
    [
      'move to a unit of the organisation',
      {},
      { profiles: [atIntake] },
      [
        ['lind', at(acme), true],
        ['lind', at(acme, intake), true],
      ],
    ],
    [
      'lose one of two profiles at a place',
      { profiles: [atAcme, atAcme.replace('reader', 'bookkeeper')] },
      { profiles: [atAcme] },
      [['lind', at(acme), true]],
    ],
    [
      'lose one of two places',
      { profiles: [atAcme, atGlobex] },
      { profiles: [atGlobex] },
      [
        ['lind', at(acme), false],
        ['lind', at(globex), true],
        ['lind', everywhere, true],
      ],
    ],
    [
      'lose their last profile',
      {},
      { profiles: [] },
      [
        ['lind', at(acme), false],
        ['lind', everywhere, true],
      ],
    ],
    [
      'are at a unit that moves',
      { profiles: [atIntake] },
      {
        profiles: [atIntake],
        more: [['        name: Intake\n', '        name: Intake\n        parent: finance\n']],
      },
      [
        ['lind', at(acme, finance), true],
        ['lind', at(acme, intake), true],
      ],
    ],
  ])('who %s are found as they are now', async (_, before, after, expected) => {
    const uuid = `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
    const isFound = async (q: string, where: string) => {
      const people = await admin.all(`/users?${q === '' ? '' : `q=${q}`}${where}`, 200)
      return people.some((one) => one.uuid === uuid)
    }
    await declare(uuid, before)
    expect(await isFound('lind', everywhere)).toBe(true)
    await declare(uuid, after)
    const found: [string, string, boolean][] = []
    for (const [q, where] of expected) found.push([q, where, await isFound(q, where)])
    expect(found).toEqual(expected)
  })
})
