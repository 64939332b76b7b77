import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import type { Option, PaletteOption } from './option.ts'

type Kind = 'people' | 'applications' | 'organisations' | 'units' | 'roles'
const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

type PaletteQuery = { params: { query: { q: string; limit: string } }; signal: AbortSignal }

const option = (
  group: Kind,
  { id, label, note, go }: { id: string; label: string; note: string; go: PaletteOption['go'] },
): Option => ({
  key: `${group} ${id}`,
  group,
  icon: group === 'units' ? 'organisations' : group,
  label,
  note,
  go,
})

/** The lists that are searched, with what each is read by. A uuid or a client_id finds what has it. */
const lists: { kind: Kind; permission: string; find: (asked: PaletteQuery) => Promise<Option[]> }[] = [
  {
    kind: 'people',
    permission: 'iam.users.read',
    find: async (asked) =>
      (await answered(api.GET('/admin/v1/users', asked))).items.map(({ uuid, name: label, email: note }) =>
        option('people', { id: uuid, label, note, go: { to: '/people/$uuid', params: { uuid } } }),
      ),
  },
  {
    kind: 'applications',
    permission: 'iam.clients.read',
    find: async (asked) =>
      (await answered(api.GET('/admin/v1/clients', asked))).items.map(
        ({ client_id: id, client_name: label }) =>
          option('applications', { id, label, note: id, go: { to: '/applications/$id', params: { id } } }),
      ),
  },
  {
    kind: 'organisations',
    permission: 'iam.organisations.read',
    find: async (asked) =>
      (await answered(api.GET('/admin/v1/organisations', asked))).items.map(
        ({ uuid, name: label, code: note }) =>
          option('organisations', {
            id: uuid,
            label,
            note,
            go: { to: '/organisations/$uuid', params: { uuid } },
          }),
      ),
  },
  {
    // The API finds those of several organisations by a uuid alone.
    kind: 'units',
    permission: 'iam.units.read',
    find: async (asked) =>
      (await answered(api.GET('/admin/v1/units', asked))).items.map((unit) =>
        option('units', {
          id: unit.uuid,
          label: unit.name,
          note: unit.code,
          go: {
            to: '/organisations/$uuid/units/$unit',
            params: { uuid: unit.organisation_uuid, unit: unit.uuid },
          },
        }),
      ),
  },
  {
    kind: 'roles',
    permission: 'iam.roles.read',
    find: async (asked) =>
      (await answered(api.GET('/admin/v1/roles', asked))).items.map(({ code, name: label }) =>
        option('roles', { id: code, label, note: code, go: { to: '/roles/$code', params: { code } } }),
      ),
  },
]

/** What is found by two characters and more, once the typing pauses. */
export function useFound(typed: string) {
  const may = useMay()
  const request = useRequest()
  const [text] = useDebouncedValue(typed, 150)
  const { reach } = useMe()
  const mine = lists.filter(
    ({ kind, permission }) =>
      may(permission) && (kind !== 'units' || reach.kind !== 'installation' || isUuid(text)),
  )
  const kinds = mine.map(({ kind }) => kind)
  const asks = typed.length >= 2
  const found = useQuery({
    queryKey: ['palette', text, ...kinds],
    enabled: asks && text.length >= 2,
    queryFn: async ({ signal }) => {
      const asked = { params: { query: { q: text, limit: '5' } }, signal }
      return (await Promise.all(mine.map(({ find }) => find(asked)))).flat()
    },
    placeholderData: (before) => before,
  })
  const settled = !asks || (text === typed && found.data !== undefined && !found.isPlaceholderData)
  const options = asks ? [...(found.data ?? []), ...(settled ? request(typed) : [])] : []
  return { options, settled, kinds, error: asks && text === typed ? found.error : null }
}

/** A request has a number of the same form as a uuid. */
function useRequest(): (text: string) => Option[] {
  const { palette } = useWords()
  const may = useMay()
  const { reach } = useMe()
  const mayAsk = may('iam.audit.read') && reach.kind !== 'unit'
  return (text) => {
    if (!mayAsk || !isUuid(text)) return []
    const go = { to: '/audit', search: { request: text.toLowerCase() } } as const
    return [{ key: 'request', group: 'requests', icon: 'audit', label: palette.request, go }]
  }
}
