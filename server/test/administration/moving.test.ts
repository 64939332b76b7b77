/** Moving a unit or a profile gives whoever administers its new place reach over it: moving is giving (decisions 10). */
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administrators, finance, intake, problemOf, users } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { tesseraOn } from '../harness/harness.ts'

/** Who moves units of Acme and nothing else, who moves profiles too, and who may give profiles as well. */
const movers = {
  'units-only': [
    'iam.units.update',
    'iam.units.read',
    'submissions-tool.vista-import.read',
    'ledger.entry.read',
  ],
  'profiles-too': [
    'iam.profiles.update',
    'iam.profiles.read',
    'submissions-tool.vista-import.read',
    'ledger.entry.read',
  ],
  'gives-little': ['iam.units.update', 'iam.units.read', 'iam.profiles.create'],
  giver: [
    ...[
      'iam.units.update',
      'iam.units.read',
      'iam.profiles.create',
      'iam.profiles.update',
      'iam.profiles.read',
    ],
    ...['submissions-tool.vista-import.read', 'ledger.entry.read'],
  ],
}

const clients = Object.entries(movers).map(
  ([name, permissions]) => `  - client_id: ${name}
    client_name: ${name}
    type: machine
    client_secret: ${name}-development-secret
    services: [iam, submissions-tool, ledger]
    permissions: [${permissions.join(', ')}]
    organisation: acme
`,
)

onEachDatabase('moving', (dialect) => {
  const tessera = tesseraOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    await applyChanged(tessera, ...administrators, ['clients:\n', `clients:\n${clients.join('')}`])
    admin = await Administrator.machine(tessera.url)
  })

  const by = async (name: keyof typeof movers) => await Administrator.machine(tessera.url, name as never)
  let made = 0
  /** A unit of Acme, and a profile at it. */
  async function unitWith(role: string | undefined, parent: string | null = null) {
    const unit = { organisation_uuid: acme, code: `moving-${made++}`, name: 'Moving', parent_uuid: parent }
    const { uuid } = (await admin.post('/units', unit)).json
    if (role === undefined) return { unit: String(uuid), profile: '' }
    const profile = { user_uuid: users.nobody, role_code: role, organisation_uuid: acme }
    const given = await admin.post('/profiles', { ...profile, organisation_unit_uuid: uuid })
    expect(given.status).toBe(201)
    return { unit: String(uuid), profile: String(given.json.uuid) }
  }

  describe('a unit', () => {
    it.each(['units-only', 'gives-little'] as const)(
      'is refused to %s, who could not give what is held there',
      async (who) => {
        const { unit } = await unitWith('reader')
        const refused = await (await by(who)).patch(`/units/${unit}`, { parent_uuid: intake })
        expect(problemOf(refused)).toBe('403 forbidden')
        expect((await admin.get(`/units/${unit}`)).json.parent_uuid).toBe(null)
      },
    )

    it('is refused for what is held below it, also by a profile that is disabled', async () => {
      const { unit } = await unitWith(undefined)
      const { profile } = await unitWith('reader', unit)
      await admin.patch(`/profiles/${profile}`, { active: false })
      const refused = await (await by('units-only')).patch(`/units/${unit}`, { parent_uuid: intake })
      expect(problemOf(refused)).toBe('403 forbidden')
    })

    it('moves by who could give each of these profiles, and by anybody with nothing held at it', async () => {
      const { unit } = await unitWith('reader')
      expect((await (await by('giver')).patch(`/units/${unit}`, { parent_uuid: intake })).status).toBe(200)
      const empty = await unitWith(undefined)
      const moved = await (await by('units-only')).patch(`/units/${empty.unit}`, { parent_uuid: intake })
      expect(moved.status).toBe(200)
    })

    it('is renamed by whoever could not move it', async () => {
      const { unit } = await unitWith('reader')
      expect((await (await by('units-only')).patch(`/units/${unit}`, { name: 'Another' })).status).toBe(200)
    })

    it('moves by nobody who could not give one of several profiles', async () => {
      const { unit } = await unitWith('reader')
      await unitWith('bookkeeper', unit)
      const refused = await (await by('giver')).patch(`/units/${unit}`, { parent_uuid: intake })
      expect(problemOf(refused)).toBe('403 forbidden')
    })
  })

  describe('a profile', () => {
    it('is refused to who could not give it there', async () => {
      const { profile } = await unitWith('reader')
      const refused = await (await by('profiles-too')).patch(`/profiles/${profile}`, {
        organisation_unit_uuid: finance,
      })
      expect(problemOf(refused)).toBe('403 forbidden')
    })

    it('moves by who could, and changes otherwise by who could not', async () => {
      const { profile } = await unitWith('reader')
      const expires_at = '2099-01-01T00:00:00Z'
      expect((await (await by('profiles-too')).patch(`/profiles/${profile}`, { expires_at })).status).toBe(
        200,
      )
      const moved = await (await by('giver')).patch(`/profiles/${profile}`, {
        organisation_unit_uuid: intake,
      })
      expect(moved.status).toBe(200)
    })
  })

  it('to where a machine belongs already takes no token from it', async () => {
    const machine = await by('units-only')
    const same = { client_name: 'the same place', organisation_uuid: acme }
    expect((await admin.patch('/clients/units-only', same)).status).toBe(200)
    expect((await machine.get('/units')).status).toBe(200)
    await admin.patch('/clients/units-only', { organisation_uuid: null })
    expect((await machine.get('/units')).status).toBe(401)
  })
})
