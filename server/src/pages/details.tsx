import type { Child } from 'hono/jsx'

/** What developers want to know: terms, and what each of them is. */
export function Details({ id, heading, children }: { id: string; heading: string; children: Child }) {
  return (
    <section class="technical" aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <dl>{children}</dl>
    </section>
  )
}

export function Detail({ term, children }: { term: string; children: Child }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}
