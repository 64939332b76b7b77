/** Fields that find a person, a permission, and so on, by what is typed. */
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from './me.ts'
import { Picker } from './picker.tsx'

interface Chosen {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  /** What stands in an empty field. */
  hint?: string
  error?: string | undefined
  description?: string
  /** Without a label above. */
  bare?: boolean
}

const typed = (q: string) => ({ limit: '20', ...(q && { q }) })

export function PersonPicker(chosen: Chosen) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const { items } = await answered(api.GET('/admin/v1/users', { params: { query: typed(q) } }))
    return items.map(({ uuid, name, email }) => ({ value: uuid, label: name, note: email }))
  }
  return <Picker hint={pick.person} {...chosen} find={find} />
}

export function ApplicationPicker(chosen: Chosen) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const { items } = await answered(api.GET('/admin/v1/clients', { params: { query: typed(q) } }))
    return items.map(({ client_id: id, client_name: name }) => ({ value: id, label: name, note: id }))
  }
  return <Picker hint={pick.application} {...chosen} find={find} />
}

export function PermissionPicker(chosen: Chosen) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const query = typed(q.toLowerCase())
    const { items } = await answered(api.GET('/admin/v1/permissions', { params: { query } }))
    return items.map(({ code, description }) => ({ value: code, label: description || code, note: code }))
  }
  return <Picker hint={pick.permission} {...chosen} find={find} />
}

export function RolePicker(chosen: Chosen) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const query = typed(q.toLowerCase())
    const { items } = await answered(api.GET('/admin/v1/roles', { params: { query } }))
    return items.map(({ code, name }) => ({ value: code, label: name, note: code }))
  }
  return <Picker hint={pick.role} {...chosen} find={find} />
}

/** An organisation's administrator has no other to pick. */
export function OrganisationPicker(chosen: Chosen) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const { items } = await answered(api.GET('/admin/v1/organisations', { params: { query: typed(q) } }))
    return items.map(({ uuid, name, code }) => ({ value: uuid, label: name, note: code }))
  }
  return <Picker hint={pick.organisation} {...chosen} find={find} />
}

export function UnitPicker({ organisation, ...chosen }: Chosen & { organisation: string }) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const query = { organisation_uuid: organisation, ...typed(q) }
    const { items } = await answered(api.GET('/admin/v1/units', { params: { query } }))
    return items.map(({ uuid, name, code }) => ({ value: uuid, label: name, note: code }))
  }
  return <Picker key={organisation} within={organisation} hint={pick.unit} {...chosen} find={find} />
}

/** An organisation or a unit, by code: the units of the only organisation that is found, or of the one before a slash. */
export function PlacePicker(chosen: Chosen) {
  const { pick } = useWords()
  const { reach } = useMe()
  const may = useMay()
  const organisationsBy = async (q: string) =>
    (await answered(api.GET('/admin/v1/organisations', { params: { query: typed(q) } }))).items
  const find = async (q: string) => {
    const [start = '', below] = q.split('/')
    const found = await organisationsBy(start)
    // An organisation's administrator finds its units by their own names.
    const others = found.length === 0 && reach.kind !== 'installation' ? await organisationsBy('') : found
    const one = others.length === 1 ? others[0] : others.find(({ code }) => code === start)
    const organisations = below === undefined ? found : []
    const shown = organisations.map(({ name, code }) => ({ value: code, label: name, note: code }))
    if (one === undefined || !may('iam.units.read')) return shown
    const query = { organisation_uuid: one.uuid, ...typed(below ?? (found.length === 0 ? start : '')) }
    const { items } = await answered(api.GET('/admin/v1/units', { params: { query } }))
    const units = items.map(({ name, code }) => ({
      code: `${one.code}/${code}`,
      name: `${one.name} › ${name}`,
    }))
    return [...shown, ...units.map(({ name, code }) => ({ value: code, label: name, note: code }))]
  }
  return <Picker hint={pick.organisation} {...chosen} find={find} />
}

export function ServicePicker(chosen: Chosen) {
  const { pick } = useWords()
  const find = async (q: string) => {
    const query = typed(q.toLowerCase())
    const { items } = await answered(api.GET('/admin/v1/services', { params: { query } }))
    return items.map(({ code, name }) => ({ value: code, label: name, note: code }))
  }
  return <Picker hint={pick.service} {...chosen} find={find} />
}
