import { useWords } from '../messages/messages.tsx'
import { useMay, useMayDeclare, useMayImport, useMayInvite, useMe } from '../shared/me.ts'
import type { Option, PaletteOption } from './option.ts'

/** What can be done and where one can go, without a search: each only for those who may. */
export function useActions(places: readonly PaletteOption[], typed: string): Option[] {
  const { palette, wizard, importing, moving, whatIf: drafting } = useWords()
  const may = useMay()
  const mayInvite = useMayInvite()
  const mayImport = useMayImport()
  const mayDeclare = useMayDeclare()
  const { reach } = useMe()
  const connect: PaletteOption = {
    icon: 'applications',
    label: wizard.another,
    go: { to: '/applications/new' },
  }
  const invite: PaletteOption = { icon: 'people', label: palette.invite, go: { to: '/people/new' } }
  const why: PaletteOption = { icon: 'access', label: palette.why, go: { to: '/access/why' } }
  const who: PaletteOption = { icon: 'access', label: palette.who, go: { to: '/access/who' } }
  const whatIf: PaletteOption = {
    icon: 'access',
    label: `${drafting.tab} …`,
    go: { to: '/access/what-if' },
  }
  const add: PaletteOption = { icon: 'people', label: importing.title, go: { to: '/people/import' } }
  const move: PaletteOption = { icon: 'people', label: moving.title, go: { to: '/people/move-in' } }
  const actions = [
    ...(may('iam.clients.create') && reach.kind !== 'unit' ? [connect] : []),
    ...(mayInvite ? [invite] : []),
    ...(mayImport ? [add] : []),
    ...(mayDeclare ? [move] : []),
    ...(may('iam.access.read') && may('iam.users.read') ? [why] : []),
    ...(may('iam.access.read') && may('iam.permissions.read') ? [who] : []),
    ...(may('iam.access.read') ? [whatIf] : []),
  ]
  const inGroup = (group: Option['group']) => (place: PaletteOption) => ({
    ...place,
    group,
    key: `${group} ${place.label}`,
  })
  return [...actions.map(inGroup('actions')), ...places.map(inGroup('places'))].filter(({ label }) =>
    matches(label, typed),
  )
}

/** The search goes by the beginning of any word, as in the lists of the API. */
const matches = (label: string, typed: string): boolean =>
  ` ${label.toLowerCase()}`.includes(` ${typed.toLowerCase()}`)
