import { answered, api } from '../../api/client.ts'
import { useWords } from '../../messages/messages.tsx'
import { Pages, usePages } from '../../shared/list.tsx'
import { useMay, useMe } from '../../shared/me.ts'
import { nameIn } from '../../shared/names.ts'
import { Name, Time } from '../../shared/text.tsx'
import type { Import } from './lines.ts'
import { Undo } from './undo.tsx'

/** The imports so far, each with what it takes to undo it. */
export function Imports() {
  const { importing: words } = useWords()
  const may = useMay()
  const { reach } = useMe()
  const pages = usePages(['imports'], async (cursor) => {
    const query = { limit: '20', include: 'names', ...(cursor && { cursor }) }
    const { items, ...page } = await answered(api.GET('/admin/v1/imports', { params: { query } }))
    return { ...page, items: items.map((one) => ({ ...one, by: makerOf(one, page.names) })) }
  })
  const undoing = {
    title: words.undo,
    away: true,
    plain: true,
    // The button stays where nobody would go any more: its dialog tells what came of it.
    cell: (one: Import) => <Undo {...one} />,
  }
  return (
    <section className="imports" aria-labelledby="imports">
      <h2 id="imports">{words.imports}</h2>
      <Pages
        pages={pages}
        label={words.imports}
        id={({ uuid }) => uuid}
        empty={{ title: words.none, how: reach.kind === 'installation' ? words.noneHow : undefined }}
        columns={[
          { title: words.file, plain: true, cell: ({ name }) => <Name>{name}</Name> },
          { title: words.when, cell: ({ created_at }) => <Time at={created_at} /> },
          { title: words.by, cell: ({ by }) => by && <Name>{by}</Name> },
          { title: words.people, cell: (one) => words.there(one.people, one.signed_in) },
          ...(may('iam.users.delete') ? [undoing] : []),
        ]}
      />
    </section>
  )
}

/** Somebody who is out of reach has no name here. */
const makerOf = ({ created_by: { kind, id } }: Import, names: Parameters<typeof nameIn>[0]) =>
  kind === 'user' ? nameIn(names, id ?? '') : (id ?? undefined)
