import type { Link } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'
import { useTimeWriter } from './text.tsx'

/** Conditions in the order in which they are asked, each with its word beside the sign. */
export function Chain({ links }: { links: readonly Link[] }) {
  const { why } = useWords()
  const written = useTimeWriter()
  const said = ({ check, holds, detail }: Link) => {
    const own = holds ? why.met[check] : why.met[check] && why.lacks[check]
    return own ?? detail.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, written)
  }
  return (
    <ol className="chain">
      {links.map((link, index) => (
        <li key={`${link.check} ${index}`} className={link.holds ? 'holds' : 'fails'}>
          <Icon name={link.holds ? 'holds' : 'fails'} />
          <span>
            <span className="away">{link.holds ? why.holds : why.fails}: </span>
            <bdi>{said(link)}</bdi>
          </span>
        </li>
      ))}
    </ol>
  )
}
