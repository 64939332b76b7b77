import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'

interface Placed {
  organisation_uuid: string | null
  organisation_unit_uuid?: string | null
}

const known = (uuids: readonly (string | null | undefined)[]) =>
  [...new Set(uuids.filter((one) => typeof one === 'string'))].sort().slice(0, 100).join(',')

/** The names of where something holds: "Acme › Intake"; a uuid where the name may not be read. */
export function usePlaces(things: readonly Placed[]): (thing: Placed) => string {
  const words = useWords()
  const organisations = known(things.map((one) => one.organisation_uuid))
  const units = known(things.map((one) => one.organisation_unit_uuid))
  const { data: names } = useQuery({
    queryKey: ['places', organisations, units],
    enabled: organisations !== '',
    queryFn: async () => {
      const limit = '100'
      const asked: Promise<{ items: { uuid: string; name: string }[] }>[] = [
        answered(api.GET('/admin/v1/organisations', { params: { query: { uuid: organisations, limit } } })),
      ]
      if (units !== '')
        asked.push(answered(api.GET('/admin/v1/units', { params: { query: { uuid: units, limit } } })))
      const found = await Promise.allSettled(asked)
      const all = found.flatMap((one) => (one.status === 'fulfilled' ? one.value.items : []))
      return Object.fromEntries(all.map(({ uuid, name }) => [uuid, name]))
    },
  })
  return ({ organisation_uuid: organisation, organisation_unit_uuid: unit }) => {
    if (organisation === null) return words.person.everywhere
    const name = (uuid: string) => names?.[uuid] ?? uuid
    return unit ? `${name(organisation)} › ${name(unit)}` : name(organisation)
  }
}
