/** The frame of every page, and the few pieces that pages share. hono/jsx escapes every value it is given. */
import type { Child } from 'hono/jsx'

export function page(title: string, content: Child, header?: Child): string {
  const html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Submissions`}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/">
            <img src="/icon.svg" alt="" width="28" height="28" />
            Submissions
          </a>
          {header}
        </header>
        <main>{content}</main>
        <footer>An example of a relying party of Tessera, built on openid-client.</footer>
      </body>
    </html>
  )
  return `<!doctype html>${html.toString()}`
}

interface SectionProps {
  readonly id: string
  readonly title: string
  readonly children?: Child
}

export function Section({ id, title, children }: SectionProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

interface PostProps {
  readonly action: string
  readonly csrf: string
  readonly label: string
  readonly quiet?: boolean
  readonly children?: Child
}

/** A real form: it works without a script, and the hidden token shows that the click happened on our page. */
export function Post({ action, csrf, label, quiet, children }: PostProps) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="csrf" value={csrf} />
      {children}
      <button class={quiet ? 'button quiet' : 'button'} type="submit">
        {label}
      </button>
    </form>
  )
}

interface FieldsProps {
  readonly rows: readonly (readonly [label: string, value: Child])[]
}

export function Fields({ rows }: FieldsProps) {
  return (
    <dl>
      {rows.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Code({ children }: { readonly children?: Child }) {
  return (
    <pre>
      <code>{children}</code>
    </pre>
  )
}
