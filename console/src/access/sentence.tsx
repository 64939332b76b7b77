import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answered, api } from '../api/client.ts'
import { Name } from '../shared/text.tsx'
import './access.css'

/** What is said before each part of a question, in the order of the language; `end` closes it. */
type Says = Readonly<Record<'end' | 'permission', string>>

interface SentenceProps {
  says: Says
  /** A picker, or a name where there is nothing to pick; what may not be asked is left out. */
  parts: Readonly<Record<string, ReactNode>>
}

/** A question as it is spoken. */
export function Sentence({ label, ...asked }: SentenceProps & { label: string }) {
  return (
    <div className="sentence" role="group" aria-label={label}>
      <Spoken {...asked} />
    </div>
  )
}

function Spoken({ says, parts }: SentenceProps) {
  const { end, ...order } = says
  return (
    <>
      {Object.entries(order).map(([part, before]) => {
        const stands = parts[part]
        if (!stands) return null
        return (
          <span key={part} className="part">
            <span>{before}</span> {stands}
          </span>
        )
      })}
      <span className="end">{end}</span>
    </>
  )
}

/** What is asked, where it is not to be picked. */
export const Given = ({ children }: { children: string }) => (
  <strong className="given">
    <Name>{children}</Name>
  </strong>
)

/** Nothing is asked yet: questions about what the installation itself defines, each asked by a click. */
export function Examples({
  title,
  lead,
  to,
  says,
  search,
  parts,
}: {
  title: string
  lead: string
  to: '/access/why' | '/access/who'
  says: Says
  /** What is asked beside the permission. */
  search: { user?: string; client?: string }
  parts: Readonly<Record<string, string>>
}) {
  const found = useQuery({
    queryKey: ['examples', 'permissions'],
    queryFn: () => answered(api.GET('/admin/v1/permissions', { params: { query: { limit: '200' } } })),
  })
  const items = found.data?.items.filter(({ built_in: ours }) => !ours).slice(0, 3) ?? []
  return (
    <section className="card examples">
      <h2>{title}</h2>
      <p className="soft">{lead}</p>
      <ul className="plain">
        {items.map(({ code, description }) => (
          <li key={code}>
            <Link to={to} search={{ ...search, permission: code }}>
              <Spoken says={says} parts={givenIn({ ...parts, permission: description || code })} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const givenIn = (parts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(parts).map(([part, name]) => [part, <Given key={part}>{name}</Given>]))
