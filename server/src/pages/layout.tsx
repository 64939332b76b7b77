/**
 * The room `pages` owns what people see: the layout, form pieces, styles and the words in every language.
 * The room turns plain values into HTML. It reads the language alone of a request, knows no session and no database,
 * and never decides anything. Every page works with HTML and one stylesheet; scripts press a button, or ask the
 * browser for a passkey.
 */
import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { withoutDeceiving } from '../protocol/characters.ts'
import { RequestNumber } from './controls.tsx'
import { accentPath } from './accent.ts'
import { BrandLinks, BrandMark, faviconHref } from './brand.tsx'
import type { PageProps } from './locale.ts'
import { messagesFor } from './messages/index.ts'
import { LanguageSwitch } from './language-switch.tsx'
import { stylesheetPath } from './styles.ts'

export type { PageProps }

export interface LayoutProps extends PageProps {
  /** Plain text; the product's name is added. */
  title: string
  /** Something is wrong. The title begins with that, because a screen reader begins with the title. */
  error?: boolean | undefined
  /** Somebody may be asked about it: it tells the number of the request. */
  numbered?: boolean | undefined
  /** Room for a long list. */
  wide?: boolean | undefined
  children: Child
}

export function Layout({
  locale,
  requestId,
  here,
  brand = {},
  title,
  error,
  numbered,
  wide,
  children,
}: LayoutProps) {
  const { common } = messagesFor(locale)
  return (
    <html lang={locale} dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${error ? `${common.errorPrefix} ` : ''}${withoutDeceiving(title)} – ${brand.name ?? 'Tessera'}`}</title>
        <link rel="stylesheet" href={stylesheetPath} />
        {brand.accent_color && <link rel="stylesheet" href={accentPath(brand.accent_color)} />}
        <link rel="icon" href={faviconHref} />
      </head>
      <body>
        <div class={wide ? 'page page-wide' : 'page'}>
          <header class="top">
            <BrandMark {...brand} />
          </header>
          <main class="card">{children}</main>
          <footer class="bottom">
            <BrandLinks locale={locale} brand={brand} />
            {here !== undefined && <LanguageSwitch locale={locale} here={here} />}
            {numbered && <RequestNumber locale={locale} requestId={requestId} />}
          </footer>
        </div>
      </body>
    </html>
  )
}

/**
 * A name that others chose: isolated, because it may run from right to left, and never translated. It may be older
 * than the rule against deceiving characters.
 */
export function Name({ children }: { children: string }) {
  return (
    <bdi class="name" translate="no">
      {withoutDeceiving(children)}
    </bdi>
  )
}

export function renderPage(element: JSX.Element): string {
  const html = followed ? element.toString() : unfollowed(() => element.toString())
  followed = true
  // Only an asynchronous component could make this a promise, and pages have none: they are given all they show.
  if (typeof html !== 'string') throw new TypeError('A page must not contain asynchronous components')
  return `<!doctype html>${html}`
}

/** Whether hono/jsx has looked for AsyncLocalStorage, which it does once, at its first page. */
let followed = false

/**
 * hono/jsx follows asynchronous components through AsyncLocalStorage. Before Node 24 that slows down every promise
 * of the process from then on, some 15 µs for each request. Pages here have no such components, so it finds none.
 */
function unfollowed<T>(render: () => T): T {
  const { getBuiltinModule, mainModule } = process
  try {
    Object.assign(process, { getBuiltinModule: undefined, mainModule: undefined })
    return render()
  } finally {
    Object.assign(process, { getBuiltinModule, mainModule })
  }
}
