/** What the routes of an application behind a proxy demand, in words. */
import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Permission } from '../shared/permission.tsx'

export type Routes = NonNullable<Client['routes']>

/** What is neither of the two is a permission, or will be one. */
export const demandKind = (demand: string) =>
  demand === 'signed-in' || demand === 'public' ? demand : 'permission'

/** What a line demands, in words; a permission leads to its holders. */
export const DemandWords = ({ demand }: { demand: string }) => {
  const { proxied: words } = useWords()
  const kind = demandKind(demand)
  return kind === 'permission' ? <Permission code={demand} /> : words.demands[kind]
}

/** A table as it stands. */
export const RouteLines = ({ routes }: { routes: Routes | null }) => (
  <ul className="plain">
    {Object.entries(routes ?? {}).map(([key, demand]) => (
      <li key={key}>
        <code translate="no">{key}</code> → <DemandWords demand={demand} />
      </li>
    ))}
  </ul>
)
