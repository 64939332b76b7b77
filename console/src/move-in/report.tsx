import { useWords } from '../messages/messages.tsx'

/** The parts of report.md: a heading, and what is told below it. */
function partsOf(report: string): { heading: string; entries: string[] }[] {
  const [, ...parts] = report.split('\n## ')
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    return { heading, entries: lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2)) }
  })
}

/** What is to be decided, what stays behind, and what comes changed; the sentences are the service's own. */
export function Report({ of: report }: { of: string }) {
  const { moving } = useWords()
  return partsOf(report).map(({ heading, entries }) => (
    <section key={heading} className="card report" aria-label={moving.headings[heading] ?? heading}>
      <h3>{moving.headings[heading] ?? heading}</h3>
      <ul lang="en">
        {entries.map((entry) => (
          <li key={entry}>
            <Entry>{entry}</Entry>
          </li>
        ))}
      </ul>
    </section>
  ))
}

/** A count, a sentence and its examples: `**3** × What happens. `one`, `two``. */
function Entry({ children }: { children: string }) {
  const [, count = '', rest = children] = /^\*\*([^*]+)\*\* × (.*)$/.exec(children) ?? []
  const [sentence, ...examples] = rest.split('`')
  return (
    <>
      <strong className="count-of">{count}</strong>
      <div>
        <p>{sentence}</p>
        {/* What stands between two backticks, and the commas after. */}
        {examples.length > 0 && (
          <p className="soft" translate="no">
            {examples.map((part, index) => (index % 2 === 0 ? <code key={index}>{part}</code> : part))}
          </p>
        )}
      </div>
    </>
  )
}
